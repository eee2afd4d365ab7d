// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts

/// What a path is made from: the kernel's answers, and the resolver's configuration.
package struct PathFacts: Sendable {
    /// An interface, and the kernel's answers about packets bound to it.
    package struct Candidate: Sendable {
        package var link: LinkFacts
        package var addresses: [InterfaceAddress]
        package var answers: [AddressFamily: RouteAnswer]

        package init(
            link: LinkFacts, addresses: [InterfaceAddress], answers: [AddressFamily: RouteAnswer] = [:]
        ) {
            self.link = link
            self.addresses = addresses
            self.answers = answers
        }
    }

    /// The kernel's answers about packets that are bound to no interface. The interfaces that they leave by are among the
    /// candidates.
    package var defaults: [AddressFamily: RouteAnswer] = [:]
    package var candidates: [Candidate] = []
    package var servers: [ServerAddress] = []
    package var hints = NetworkHints()

    /// The routes in all answers.
    var routes: [RouteDecision] {
        (candidates.map(\.answers) + [defaults]).flatMap(\.values).compactMap { answer in
            if case .route(let route) = answer { route } else { nil }
        }
    }

    package init() {}
}

extension NetworkPath {
    /// The path made from facts. No I/O, no state.
    package init(_ facts: PathFacts) {
        servers = facts.servers
        connectivity = facts.hints.connectivity
        let links = Dictionary(facts.candidates.map { ($0.link.index, $0.link) }) { first, _ in first }
        ipv4 = Self.defaultRoute(.v4, facts.defaults[.v4], links)
        ipv6 = Self.defaultRoute(.v6, facts.defaults[.v6], links)
        loopback = facts.candidates.first { $0.link.isLoopback && $0.link.flags.contains(.up) }.map { lo in
            var interface = Interface(lo)
            // A packet bound to lo reaches this machine, whatever the routes say.
            for family in AddressFamily.allCases where lo.addresses.contains(where: { $0.address.family == family }) {
                interface.set(family, WayOut(flags: .reachable))
            }
            return interface
        }
        interfaces = facts.candidates.filter { !$0.link.isLoopback }.map { candidate in
            var interface = Interface(candidate)
            interface.isMetered = interface.name == facts.hints.meteredInterface
            for family in AddressFamily.allCases {
                interface.set(family, Self.wayOut(family, candidate))
                // If an unbound packet leaves by this interface, the interface leads out.
                if let own = defaultRoute(family), own.interface == interface.index, interface.wayOut(family) == nil {
                    interface.set(family, WayOut(flags: own.flags, gateway: own.gateway))
                }
            }
            return interface
        }
        interfaces = interfaces.map { ($0, preference($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private static func defaultRoute(
        _ family: AddressFamily, _ answer: RouteAnswer?, _ links: [InterfaceIndex: LinkFacts]
    ) -> DefaultRoute? {
        guard case .route(let decision)? = answer, let index = decision.interface else { return nil }
        let verdict = PathEvaluation.asDefaultPath(
            PathEvaluation.evaluate(
                RouteQuery(destination: family.behindDefault), answer: .route(decision), link: links[index]?.state))
        guard verdict.flags.rank > .none else { return nil }
        return DefaultRoute(interface: index, flags: verdict.flags, gateway: decision.gateway)
    }

    private static func wayOut(_ family: AddressFamily, _ candidate: PathFacts.Candidate) -> WayOut? {
        guard case .route(let decision)? = candidate.answers[family] else { return nil }
        let verdict = PathEvaluation.asDefaultPath(
            PathEvaluation.evaluate(
                RouteQuery(destination: family.behindDefault, interface: candidate.link.index),
                answer: .route(decision), link: candidate.link.state))
        // If the answer's interface is another, such as lo, this one does not lead out.
        guard verdict.flags.rank > .none, decision.interface == candidate.link.index else { return nil }
        return WayOut(flags: verdict.flags, gateway: decision.gateway, metric: decision.metric)
    }

    /// The sort key of an interface: first those of the default routes, IPv4 before IPv6, then by metric.
    private func preference(_ interface: Interface) -> (Int, UInt32, UInt32, UInt32) {
        let rank =
            if ipv4?.interface == interface.index {
                0
            } else if ipv6?.interface == interface.index {
                1
            } else {
                interface.leadsOut ? 2 : 3
            }
        func metric(_ way: WayOut?) -> UInt32 { way.map { $0.metric ?? 0 } ?? .max }
        return (rank, metric(interface.ipv4), metric(interface.ipv6), interface.index.rawValue)
    }
}

extension NetworkPath.Interface {
    fileprivate init(_ candidate: PathFacts.Candidate) {
        self.init(
            index: candidate.link.index, name: candidate.link.name, kind: candidate.link.interfaceKind,
            isTunnel: candidate.link.isTunnel, isMetered: false, addresses: candidate.addresses)
    }

    fileprivate mutating func set(_ family: AddressFamily, _ way: NetworkPath.WayOut?) {
        if family == .v4 { ipv4 = way } else { ipv6 = way }
    }
}

extension AddressFamily {
    /// An address that is covered only by a default route, or by routes that stand for one.
    package var behindDefault: IPAddress { TargetLookup.behindDefault.first { $0.family == self }! }
}
