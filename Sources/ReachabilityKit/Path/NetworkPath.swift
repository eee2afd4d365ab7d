// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts

/// The ways out of this machine: which interfaces there are, by which of them the default route leads in either
/// family, and who answers questions about names.
package struct NetworkPath: Hashable, Sendable {
    /// All interfaces that have an address with which one gets beyond the link, in order of preference: those of the
    /// default routes, then others with a way out, then the rest.
    package var interfaces: [Interface] = []
    /// The machine's own interface, where it is up.
    package var loopback: Interface?
    /// What the kernel does with a packet that only a default route covers; nil where it drops it.
    package var ipv4: DefaultRoute?
    package var ipv6: DefaultRoute?
    /// The name servers in the order in which they are asked.
    package var servers: [ServerAddress] = []

    package init() {}

    /// An interface, and how it leads out.
    package struct Interface: Hashable, Sendable {
        package var index: InterfaceIndex
        package var name: String
        package var kind: InterfaceKind
        package var isTunnel: Bool
        /// Whether NetworkManager says that what leaves here is counted.
        package var isMetered: Bool
        package var addresses: [InterfaceAddress]
        /// The default route that a packet bound to this interface would take; nil where there is none.
        package var ipv4: WayOut?
        package var ipv6: WayOut?

        /// Whether there is any way out by this interface.
        package var leadsOut: Bool { ipv4 != nil || ipv6 != nil }

        package func wayOut(_ family: AddressFamily) -> WayOut? { family == .v4 ? ipv4 : ipv6 }
    }

    /// A default route whose link can carry packets, now or after a connection was made.
    package struct WayOut: Hashable, Sendable {
        package var flags: ReachabilityFlags
        package var gateway: IPAddress?
        /// Lower ones are preferred.
        package var metric: UInt32?
    }

    /// The default route of a family.
    package struct DefaultRoute: Hashable, Sendable {
        package var interface: InterfaceIndex
        package var flags: ReachabilityFlags
        package var gateway: IPAddress?
    }

    /// The path, whoever counts what leaves by it.
    package var withoutMetering: NetworkPath {
        var path = self
        for position in path.interfaces.indices { path.interfaces[position].isMetered = false }
        return path
    }

    package func defaultRoute(_ family: AddressFamily) -> DefaultRoute? { family == .v4 ? ipv4 : ipv6 }

    /// Whether anything can be reached: `NWPath.Status`.
    package enum Status: String, Hashable, Sendable {
        case satisfied, unsatisfied, requiresConnection
    }
}
