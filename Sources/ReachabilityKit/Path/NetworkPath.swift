// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts

/// The ways out of this machine: its interfaces, the default route of each family, and the name servers.
package struct NetworkPath: Hashable, Sendable {
    /// All interfaces with an address that reaches beyond the link, in order of preference: those of the default routes,
    /// then others that lead out, then the rest.
    package var interfaces: [Interface] = []
    /// The loopback interface, if it is up.
    package var loopback: Interface?
    /// Where the kernel sends a packet that only a default route covers; nil if it drops the packet.
    package var ipv4: DefaultRoute?
    package var ipv6: DefaultRoute?
    /// The name servers, in the order in which they are asked.
    package var servers: [ServerAddress] = []
    /// What NetworkManager's check of the Internet found. A hint: no flag, status or interface depends on it.
    package var connectivity = Connectivity.unknown

    package init() {}

    /// An interface, and how it leads out.
    package struct Interface: Hashable, Sendable {
        package var index: InterfaceIndex
        package var name: String
        package var kind: InterfaceKind
        package var isTunnel: Bool
        /// Whether NetworkManager calls the interface metered.
        package var isMetered: Bool
        package var addresses: [InterfaceAddress]
        /// The default route that a packet bound to this interface would take; nil if there is none.
        package var ipv4: WayOut?
        package var ipv6: WayOut?

        /// Whether a default route of either family leads out by this interface.
        package var leadsOut: Bool { ipv4 != nil || ipv6 != nil }

        package func wayOut(_ family: AddressFamily) -> WayOut? { family == .v4 ? ipv4 : ipv6 }
    }

    /// A default route whose link can carry packets, at once or after a connection was made.
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

        package init(interface: InterfaceIndex, flags: ReachabilityFlags, gateway: IPAddress?) {
            self.interface = interface
            self.flags = flags
            self.gateway = gateway
        }
    }

    /// The same path without hints.
    package var withoutHints: NetworkPath {
        var path = self
        path.connectivity = .unknown
        for position in path.interfaces.indices { path.interfaces[position].isMetered = false }
        return path
    }

    package func defaultRoute(_ family: AddressFamily) -> DefaultRoute? { family == .v4 ? ipv4 : ipv6 }

    /// How far packets get, as NetworkManager found by asking a web server (NMConnectivityState).
    package enum Connectivity: String, Hashable, Sendable, CaseIterable {
        /// NetworkManager does not run, has not checked yet, or does not tell.
        case unknown
        /// There is no network.
        case none
        /// Another server answered, as a captive portal does before one has logged in.
        case portal
        /// There is a network, and the server did not answer.
        case limited
        /// The server answered.
        case full
    }

    /// Apple's `NWPath.Status`.
    package enum Status: String, Hashable, Sendable {
        case satisfied, unsatisfied, requiresConnection
    }
}
