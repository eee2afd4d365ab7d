// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The options of a reference on which the kernel's routing depends. One word in size, and empty for most references, as
/// there may be very many.
package struct RoutingKeys: Hashable, Sendable {
    private struct Values: Hashable {
        /// The interface that sockets are bound to, which the client named.
        var interface: Scope?
        var mark: UInt32?
        var userID: UInt32?
        var transport: Transport
        var port: UInt16?
    }

    private final class Box: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private let box: Box?

    package init(
        interface: Scope? = nil, mark: UInt32? = nil, userID: UInt32? = nil, transport: Transport = .tcp,
        port: UInt16? = nil
    ) {
        let isEmpty = interface == nil && mark == nil && userID == nil && transport == .tcp && port == nil
        box =
            isEmpty
            ? nil : Box(Values(interface: interface, mark: mark, userID: userID, transport: transport, port: port))
    }

    package var interface: Scope? { box?.values.interface }
    package var mark: UInt32? { box?.values.mark }
    package var userID: UInt32? { box?.values.userID }
    package var transport: Transport { box?.values.transport ?? .tcp }
    package var port: UInt16? { box?.values.port }

    /// The same keys with another interface.
    package func bound(to interface: Scope?) -> RoutingKeys {
        RoutingKeys(interface: interface, mark: mark, userID: userID, transport: transport, port: port)
    }

    /// The same keys for another user.
    package func asking(as userID: UInt32?) -> RoutingKeys {
        RoutingKeys(interface: interface, mark: mark, userID: userID, transport: transport, port: port)
    }

    /// The keys of questions to name servers: by UDP, and not to the port of the host.
    package var toNameServers: RoutingKeys {
        RoutingKeys(interface: interface, mark: mark, userID: userID, transport: .udp)
    }

    package static func == (left: RoutingKeys, right: RoutingKeys) -> Bool {
        left.box === right.box || left.box?.values == right.box?.values
    }

    package func hash(into hasher: inout Hasher) {
        if let box { hasher.combine(box.values) }
    }
}
