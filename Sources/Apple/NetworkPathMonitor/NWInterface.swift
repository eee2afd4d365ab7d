// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
package import ReachabilityRoutes

/// A network interface.
///
/// ```swift
/// for interface in monitor.currentPath.availableInterfaces { print(interface.name, interface.type) }
/// ```
public struct NWInterface: Hashable, Sendable, CustomDebugStringConvertible {
    /// The type of an interface.
    public enum InterfaceType: Sendable {
        /// Any other type, such as the tunnel of a VPN.
        case other
        /// Wi-Fi.
        case wifi
        /// A mobile network.
        case cellular
        /// Ethernet, including virtual Ethernet: the interface of a container or a virtual machine, a bridge, a bond or a VLAN.
        case wiredEthernet
        /// The loopback interface.
        case loopback
    }

    /// Its type.
    public let type: InterfaceType
    /// Its name, such as `eth0`.
    public let name: String
    /// Its index in the kernel.
    public let index: Int

    package init(_ interface: NetworkPath.Interface) {
        name = interface.name
        index = Int(interface.linkIndex.rawValue)
        type = InterfaceType(interface.kind)
    }

    /// The name.
    public var debugDescription: String { name }

    /// Two interfaces are equal if they have the same name and index.
    public static func == (left: NWInterface, right: NWInterface) -> Bool {
        left.index == right.index && left.name == right.name
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(name)
    }
}

extension NWInterface.InterfaceType {
    package init(_ kind: InterfaceKind) {
        self =
            switch kind {
            case .other: .other
            case .wifi: .wifi
            case .cellular: .cellular
            case .wiredEthernet: .wiredEthernet
            case .loopback: .loopback
            }
    }

    package var kind: InterfaceKind {
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
    /// The interface of this name; nil if there is none.
    init?(named name: String) {
        beginWork()
        defer { endWork() }
        guard let name = InterfaceName(name), let kernel = try? PathSource().namespace.kernel()
        else { return nil }
        let facts = try? kernel.withRouteClient { (socket) throws(NetlinkError) in try socket.currentFacts(of: name) }
        guard let found = facts ?? nil else { return nil }
        self.name = found.name
        index = Int(found.index.rawValue)
        type = InterfaceType(found.interfaceKind)
    }
}
