// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The options of a reference, in the form in which the kernel takes them. One word in size, and empty for most references,
/// as there may be very many.
package struct RoutingKeys: Hashable, Sendable {
    private let chosen: Chosen?

    private final class Chosen: Sendable {
        let interfaceName: String?
        let interface: InterfaceIndex?
        let mark: UInt32?
        let userID: UInt32?

        init(_ interfaceName: String?, _ interface: InterfaceIndex?, _ mark: UInt32?, _ userID: UInt32?) {
            self.interfaceName = interfaceName
            self.interface = interface
            self.mark = mark
            self.userID = userID
        }
    }

    package init(
        interfaceName: String? = nil, interface: InterfaceIndex? = nil, mark: UInt32? = nil, userID: UInt32? = nil
    ) {
        let isEmpty = interfaceName == nil && interface == nil && mark == nil && userID == nil
        chosen = isEmpty ? nil : Chosen(interfaceName, interface, mark, userID)
    }

    /// The interface that the client named. Its number is looked up again when links have changed: a PPP link that
    /// reconnects gets a new number under the same name.
    package var interfaceName: String? { chosen?.interfaceName }
    /// The interface that questions are bound to.
    package var interface: InterfaceIndex? { chosen?.interface }
    package var mark: UInt32? { chosen?.mark }
    package var userID: UInt32? { chosen?.userID }

    package static func == (left: RoutingKeys, right: RoutingKeys) -> Bool {
        left.chosen === right.chosen
            || left.interfaceName == right.interfaceName && left.interface == right.interface
                && left.mark == right.mark && left.userID == right.userID
    }

    package func hash(into hasher: inout Hasher) {
        guard let chosen else { return }
        hasher.combine(chosen.interfaceName)
        hasher.combine(chosen.interface)
        hasher.combine(chosen.mark)
        hasher.combine(chosen.userID)
    }
}

extension RoutingKeys {
    /// The question for one destination.
    ///
    /// - Parameters:
    ///   - local: the address to send from, if one is given.
    ///   - socket: the values that a new socket has. They count where no option of the reference replaces them.
    package func query(
        for destination: IPAddress, from local: IPAddress? = nil, socket: SocketDefaults.Values = .init()
    ) -> RouteQuery {
        let bound = boundInterface(for: destination, socket)
        return RouteQuery(
            destination: destination.unmapped, source: local?.unmapped,
            interface: Self.linkScope(of: destination, from: local) ?? bound, boundInterface: bound,
            mark: mark ?? socket.mark, userID: userID)
    }

    /// The interface that a socket to this destination is bound to.
    ///
    /// A client's interface is ignored for loopback addresses: bound to an Ethernet device, packets to 127.0.0.1 are sent to
    /// that device's gateway. The control group's interface is never ignored, because every socket has it.
    private func boundInterface(for destination: IPAddress, _ socket: SocketDefaults.Values) -> InterfaceIndex? {
        guard let interface else { return socket.interface }
        return destination.unmapped.isLoopback ? nil : interface
    }

    /// The interface that belongs to a link-local address, which has a meaning on its own link only (RFC 4007). A socket
    /// bound to a link-local address is bound to its link too (inet6_bind_sk in net/ipv6/af_inet6.c).
    private static func linkScope(of destination: IPAddress, from local: IPAddress?) -> InterfaceIndex? {
        guard destination.needsInterface else { return nil }
        if let scope = destination.scope { return scope }
        guard let local, local.needsInterface else { return nil }
        return local.scope
    }
}
