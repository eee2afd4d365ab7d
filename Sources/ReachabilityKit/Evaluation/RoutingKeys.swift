// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The options of a reference in the form the kernel takes them in. Most references have none, and there may be very many
/// of them: then this is one empty word.
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

    /// The interface a client named. Its number is looked up anew when links have changed: a PPP link that reconnects
    /// is another link of the same name.
    package var interfaceName: String? { chosen?.interfaceName }
    /// The interface questions are bound to.
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
    ///   - local: the address to send from, where one is given.
    ///   - socket: what a new socket has; it counts where no option of the reference takes its place.
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
    /// An interface that was asked for is left aside for the loopback addresses: bound to an Ethernet device, 127.0.0.1
    /// is sent to that device's gateway. The control group's is not, as every socket has it.
    private func boundInterface(for destination: IPAddress, _ socket: SocketDefaults.Values) -> InterfaceIndex? {
        guard let interface else { return socket.interface }
        return destination.unmapped.isLoopback ? nil : interface
    }

    /// The interface that an address names itself. A link-local address means something on its own link only (RFC 4007).
    /// A socket that is bound to a link-local address is bound to its link (inet6_bind_sk in net/ipv6/af_inet6.c).
    private static func linkScope(of destination: IPAddress, from local: IPAddress?) -> InterfaceIndex? {
        guard destination.needsInterface else { return nil }
        if let scope = destination.scope { return scope }
        guard let local, local.needsInterface else { return nil }
        return local.scope
    }
}
