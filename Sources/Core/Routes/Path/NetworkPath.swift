// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityResolverFiles
import ReachabilitySystemBus

/// The routes by which packets can leave this machine, at one moment: its interfaces, the default route of each family, and the
/// name servers.
///
/// ```swift
/// for try await path in NetworkPath.changes {
///     print(path.status == .satisfied ? "online" : "offline: \(path.reason)")
/// }
/// ```
public struct NetworkPath: Hashable, Sendable {
    /// All interfaces with an address that reaches beyond the link, in order of preference: first those of the default routes,
    /// then others that lead out, then the rest.
    public package(set) var interfaces: [Interface] = []
    /// The loopback interface, if it is up.
    package var loopback: Interface?
    /// The route of a packet that only a default route covers; nil if the kernel drops the packet.
    package var ipv4: DefaultRoute?
    package var ipv6: DefaultRoute?
    /// Why packets can or cannot leave.
    package var decidedBy = Reason.refused(.noRoute)
    /// Whether the reason is that the tunnel of the default route carries nothing.
    package var isTunnelDown = false
    /// The name servers, in the order in which they are asked.
    package var servers: [ServerAddress] = []
    /// The result of NetworkManager's last connectivity check over the interfaces of the default routes. It is a hint: no flag,
    /// status or interface depends on it.
    public package(set) var connectivity = Connectivity.unknown
    /// Tells whether connections that were made over an earlier path are still worth using.
    public private(set) var identity = Identity()

    package init() {}

    /// An interface, and whether it leads out.
    public struct Interface: Hashable, Sendable {
        package var linkIndex: InterfaceIndex
        /// Its name, such as `eth0`. A byte that is not UTF-8 is written `\xff`.
        public package(set) var name: String
        /// Its kind, as far as the kernel knows.
        public package(set) var kind: InterfaceKind
        /// Whether its packets are wrapped into others, which leave by another interface.
        public package(set) var isTunnel: Bool
        /// Whether NetworkManager calls it metered.
        public package(set) var isMetered: Bool
        package var ownAddresses: [InterfaceAddress]
        /// The default route that a packet bound to this interface would take; nil if there is none.
        package var ipv4: WayOut?
        package var ipv6: WayOut?
        /// Why the interface leads out, or why it does not.
        package var decidedBy = Reason.refused(.noRoute)
        /// The gateways of the default routes, including those whose link does not work.
        package var gatewayAddresses: [IPAddress] = []

        /// Whether a default route of either family leads out by this interface, at once or after a connection has been made.
        public var leadsOut: Bool { ipv4 != nil || ipv6 != nil }

        package func wayOut(_ family: AddressFamily) -> WayOut? { family == .v4 ? ipv4 : ipv6 }
    }

    /// A default route whose link can carry packets, at once or after a connection has been made.
    package struct WayOut: Hashable, Sendable {
        package var flags: ReachabilityFlags
        package var gateway: IPAddress?
        /// Routes with a lower metric are preferred.
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

    /// The same path without NetworkManager's hints.
    package var withoutHints: NetworkPath {
        var path = self
        path.takeHints(of: NetworkPath())
        return path
    }

    /// Replaces the hints by those of another path.
    package mutating func takeHints(of other: NetworkPath) {
        connectivity = other.connectivity
        let metered = Set(other.interfaces.lazy.filter(\.isMetered).map(\.linkIndex))
        for position in interfaces.indices {
            interfaces[position].isMetered = metered.contains(interfaces[position].linkIndex)
        }
    }

    package func defaultRoute(_ family: AddressFamily) -> DefaultRoute? { family == .v4 ? ipv4 : ipv6 }

    /// How far packets get, according to NetworkManager's connectivity check against a web server (NMConnectivityState).
    public enum Connectivity: String, Hashable, Sendable, CaseIterable {
        /// NetworkManager does not run, does not manage the interface, has not checked yet, or does not answer.
        case unknown
        /// There is no connection.
        case none
        /// Another server answered, as a captive portal does before its users have logged in.
        case portal
        /// There is a network, but the server did not answer.
        case limited
        /// The server answered.
        case full
    }

    /// Whether packets can leave this machine: Apple's `NWPath.Status`.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// They can.
        case satisfied
        /// They cannot.
        case unsatisfied
        /// A connection has to be made first, such as a dial or a login, which traffic may start.
        case requiresConnection
    }
}

extension NetworkPath {
    /// Makes a path from facts. No I/O, no state.
    package init(_ facts: PathFacts) {
        servers = facts.servers
        identity = Identity(facts)
        let links = Dictionary(facts.candidates.map { ($0.link.index, $0.link) }) { first, _ in first }
        var verdicts: [Verdict] = []
        for family in AddressFamily.allCases {
            guard let answer = facts.defaults[family] else { continue }
            let verdict = Self.verdict(family, answer, links)
            verdicts.append(verdict)
            guard verdict.flags.rank > .none, let index = verdict.interface ?? facts.owner(of: answer) else { continue }
            let own = DefaultRoute(interface: index, flags: verdict.flags, gateway: answer.route?.gateway)
            if family == .v4 { ipv4 = own } else { ipv6 = own }
        }
        if let best = Self.best(verdicts) {
            decidedBy = best.reason
            if case .linkBroken = best.reason { isTunnelDown = best.interface.flatMap { links[$0] }?.isTunnel == true }
        }
        let found = AddressFamily.allCases.compactMap { family in
            defaultRoute(family).flatMap { facts.hints[$0.interface] }.map { family == .v4 ? $0.ipv4 : $0.ipv6 }
        }
        connectivity = Self.connectivities.first { found.contains($0.found) }?.connectivity ?? .unknown
        loopback = facts.candidates.first { $0.link.isLoopback && $0.link.flags.contains(.up) }.map { lo in
            var interface = Interface(lo)
            // A packet that is bound to lo reaches this machine, whatever the routes are.
            for family in AddressFamily.allCases where lo.addresses.contains(where: { $0.address.family == family }) {
                interface.set(family, WayOut(flags: .reachable))
            }
            return interface
        }
        interfaces = facts.candidates.filter { !$0.link.isLoopback }.map { candidate in
            var interface = Interface(candidate)
            interface.isMetered = facts.hints[interface.linkIndex]?.isMetered ?? false
            var verdicts: [Verdict] = []
            for family in AddressFamily.allCases {
                // If an unbound packet leaves by this interface, the interface leads out.
                let answers: [(RouteAnswer?, boundTo: InterfaceIndex?)] = [
                    (candidate.answers[family], interface.linkIndex), (facts.defaults[family], nil),
                ]
                for (answer, bound) in answers {
                    guard let answer, bound != nil || answer.route?.interface == interface.linkIndex else { continue }
                    verdicts.append(Self.verdict(family, answer, links, boundTo: bound))
                    // If the answer's interface is another, such as lo, this one does not lead out.
                    guard let route = answer.route, route.interface == interface.linkIndex else { continue }
                    if let gateway = route.gateway, !interface.gatewayAddresses.contains(gateway) {
                        interface.gatewayAddresses.append(gateway)
                    }
                    guard let flags = verdicts.last?.flags, flags.rank > .none else { continue }
                    interface.set(
                        family, WayOut(flags: flags, gateway: route.gateway, metric: bound == nil ? nil : route.metric))
                    break
                }
            }
            if let best = Self.best(verdicts) { interface.decidedBy = best.reason }
            return interface
        }
        interfaces = interfaces.map { ($0, preference($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// The best is first, in the order of NetworkManager's `nm_connectivity_state_cmp`.
    private static let connectivities: [(found: NetworkManager.Connectivity, connectivity: Connectivity)] = [
        (.full, .full), (.portal, .portal), (.limited, .limited), (.none, .none),
    ]

    private static func verdict(
        _ family: AddressFamily, _ answer: RouteAnswer, _ links: [InterfaceIndex: LinkFacts],
        boundTo interface: InterfaceIndex? = nil
    ) -> Verdict {
        let link = answer.route?.interface.flatMap { links[$0]?.state }
        return PathEvaluation.asDefaultPath(
            PathEvaluation.evaluate(
                RouteQuery(destination: .behindDefault(family), interface: interface), answer: answer, link: link))
    }

    /// The one of several answers that is reported: the best, or else one about a link.
    private static func best(_ verdicts: [Verdict]) -> Verdict? {
        PathEvaluation.best(of: verdicts.map(\.flags)).map { verdicts[$0] }
            ?? verdicts.first { $0.interface != nil } ?? verdicts.first
    }

    /// The sort key of an interface: first those of the default routes, IPv4 before IPv6, then the others by metric.
    private func preference(_ interface: Interface) -> (Int, UInt32, UInt32, UInt32) {
        let rank =
            if ipv4?.interface == interface.linkIndex {
                0
            } else if ipv6?.interface == interface.linkIndex {
                1
            } else {
                interface.leadsOut ? 2 : 3
            }
        func metric(_ way: WayOut?) -> UInt32 { way.map { $0.metric ?? 0 } ?? .max }
        return (rank, metric(interface.ipv4), metric(interface.ipv6), interface.linkIndex.rawValue)
    }
}

extension NetworkPath.Interface {
    fileprivate init(_ candidate: PathFacts.Candidate) {
        self.init(
            linkIndex: candidate.link.index, name: candidate.link.name, kind: candidate.link.interfaceKind,
            isTunnel: candidate.link.isTunnel, isMetered: false, ownAddresses: candidate.addresses)
    }

    fileprivate mutating func set(_ family: AddressFamily, _ way: NetworkPath.WayOut?) {
        if family == .v4 { ipv4 = way } else { ipv6 = way }
    }
}

/// Apple's five interface types (`NWInterface.InterfaceType`).
public enum InterfaceKind: String, Hashable, Sendable, CaseIterable {
    /// Any other kind, such as a tunnel.
    case other
    /// Wi-Fi.
    case wifi
    /// A mobile network.
    case cellular
    /// Ethernet, including virtual Ethernet.
    case wiredEthernet
    /// The loopback interface.
    case loopback
}

extension LinkFacts {
    /// The kind, as far as the kernel knows.
    ///
    /// Wi-Fi is recognised by its uevent only, because its link type is Ethernet. A phone that shares its connection over USB or
    /// Wi-Fi counts as Ethernet or Wi-Fi.
    package var interfaceKind: InterfaceKind {
        if isLoopback { return .loopback }
        if isCellular { return .cellular }
        if deviceType == "wlan" { return .wifi }
        // This includes a container's eth0 (veth), and a bridge, bond or VLAN that has the machine's address.
        return hardwareType == 1 && !isTunnel && kind.map(Self.kindsWithoutWire.contains) != true
            ? .wiredEthernet : .other
    }

    /// Devices of type Ethernet that are connected to nothing.
    private static let kindsWithoutWire: Set<String> = ["dummy", "ifb"]
}
