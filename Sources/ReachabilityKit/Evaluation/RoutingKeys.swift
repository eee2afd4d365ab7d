// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The options of a reference in the form the kernel takes them in.
package struct RoutingKeys: Hashable, Sendable {
    /// The interface a client named. Its number is looked up anew when links have changed: a PPP link that reconnects
    /// is another link of the same name.
    package var interfaceName: InterfaceName?
    /// The interface questions are bound to.
    package var interface: InterfaceIndex?
    package var mark: UInt32?
    package var userID: UInt32?

    package init(
        interface: InterfaceIndex? = nil, mark: UInt32? = nil, userID: UInt32? = nil
    ) {
        self.interface = interface
        self.mark = mark
        self.userID = userID
    }

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

/// The name of an interface. An object, as many references may share it, and most have none.
package final class InterfaceName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: InterfaceName, right: InterfaceName) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
