// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit

/// What a C program can see of a path. Pure.
struct PathContent: Equatable, Sendable {
    struct Interface: Equatable, Sendable {
        let name: String
        let index: UInt32
        let kind: InterfaceKind
    }

    /// An address, with the interface of one that is valid on its link only.
    struct Gateway: Equatable, Sendable {
        let address: IPAddress
        let interface: String?
    }

    var status = NetworkPath.Status.unsatisfied
    var interfaces: [Interface] = []
    var gateways: [Gateway] = []
    var usedKinds: Set<InterfaceKind> = []
    var hasIPv4 = false
    var hasIPv6 = false
    var hasDNS = false
    var isExpensive = false

    init(_ view: PathView) {
        status = view.status
        for interface in view.interfaces {
            let index = interface.index
            interfaces.append(Interface(name: interface.name, index: index.rawValue, kind: interface.kind))
            for gateway in [interface.ipv4?.gateway, interface.ipv6?.gateway].compactMap(\.self) {
                let found = Gateway(gateway.withScope(index), on: interface.name)
                if !gateways.contains(found) { gateways.append(found) }
            }
        }
        usedKinds = Set(view.used.map(\.kind))
        (hasIPv4, hasIPv6, hasDNS) = (view.hasIPv4, view.hasIPv6, view.hasDNS)
        isExpensive = view.isExpensive
    }
}

extension PathContent.Gateway {
    fileprivate init(_ address: IPAddress, on interface: String) {
        self.init(address: address, interface: address.needsInterface ? interface : nil)
    }
}

extension IPAddress {
    /// The address with the interface of its link, if it is valid on that link only.
    fileprivate func withScope(_ index: InterfaceIndex) -> IPAddress {
        guard needsInterface, case .v6(let address, _) = self else { return self }
        return .v6(address, scope: index)
    }
}
