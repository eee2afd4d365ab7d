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
    package func query(for destination: IPAddress, from local: IPAddress? = nil) -> RouteQuery {
        RouteQuery(
            destination: destination.unmapped, source: local?.unmapped, interface: scope(for: destination),
            mark: mark, userID: userID)
    }

    /// The interface a question about this destination is bound to.
    ///
    /// A link-local address means something on its own link only (RFC 4007). The loopback addresses are never bound to
    /// an interface: asked for 127.0.0.1 on an Ethernet device, the kernel answers with that device's gateway.
    package func scope(for destination: IPAddress) -> InterfaceIndex? {
        if destination.isLoopback || destination.unmapped.isLoopback { return nil }
        if case .v6(let address, let scope?) = destination, address.isLinkLocal || address.isLinkScopedMulticast {
            return scope
        }
        return interface
    }
}
