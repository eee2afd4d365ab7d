// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit

/// An interface that packets can leave by.
///
/// ```swift
/// for interface in monitor.currentPath.availableInterfaces { print(interface.name, interface.type) }
/// ```
public struct NWInterface: Hashable, Sendable, CustomDebugStringConvertible {
    /// What an interface is.
    public enum InterfaceType: Sendable {
        /// None of the others: a tunnel, such as a VPN's, or something virtual.
        case other
        /// Wi-Fi.
        case wifi
        /// A mobile network.
        case cellular
        /// A wire, or what stands for one: a container's or a virtual machine's, a bridge, a bond, a VLAN.
        case wiredEthernet
        /// The machine itself.
        case loopback
    }

    /// What it is.
    public let type: InterfaceType
    /// Its name, such as `eth0`.
    public let name: String
    /// The kernel's number for it.
    public let index: Int

    init(_ interface: NetworkPath.Interface) {
        name = interface.name
        index = Int(interface.index.rawValue)
        type = InterfaceType(interface.kind)
    }

    init(name: String, index: Int, type: InterfaceType) {
        self.name = name
        self.index = index
        self.type = type
    }

    /// The name.
    public var debugDescription: String { name }

    /// Interfaces are the same that have the same name and number.
    public static func == (left: NWInterface, right: NWInterface) -> Bool {
        left.index == right.index && left.name == right.name
    }

    /// Feeds what equality looks at.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(name)
    }
}

extension NWInterface.InterfaceType {
    init(_ kind: InterfaceKind) {
        self =
            switch kind {
            case .other: .other
            case .wifi: .wifi
            case .cellular: .cellular
            case .wiredEthernet: .wiredEthernet
            case .loopback: .loopback
            }
    }

    var kind: InterfaceKind {
        switch self {
        case .other: .other
        case .wifi: .wifi
        case .cellular: .cellular
        case .wiredEthernet: .wiredEthernet
        case .loopback: .loopback
        }
    }
}

extension NWInterface {
    /// The interface of this name, such as the zone of `fe80::1%eth0`; nil where there is none.
    init?(named name: String) {
        guard let found = PathSource().interface(named: name) else { return nil }
        self.init(name: found.name, index: Int(found.index.rawValue), type: InterfaceType(found.interfaceKind))
    }
}
