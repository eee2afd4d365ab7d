// SPDX-License-Identifier: Apache-2.0

import NetworkFacts

/// Which interfaces somebody is content with.
package struct PathRestriction: Hashable, Sendable {
    package var required: InterfaceKind?
    package var prohibited: Set<InterfaceKind> = []

    package init(required: InterfaceKind? = nil, prohibited: Set<InterfaceKind> = []) {
        self.required = required
        self.prohibited = prohibited
    }

    package var isNone: Bool { required == nil && prohibited.isEmpty }

    package func allows(_ kind: InterfaceKind) -> Bool {
        !prohibited.contains(kind) && (required == nil || required == kind)
    }
}

/// A path as seen by somebody who is content with some interfaces only.
package struct PathView: Hashable, Sendable {
    package var status = NetworkPath.Status.unsatisfied
    /// By which one gets out, in order of preference.
    package var interfaces: [NetworkPath.Interface] = []
    /// What packets leave by now: of each family the first, and below a tunnel what that most likely uses.
    package var used: [NetworkPath.Interface] = []
    package var hasIPv4 = false
    package var hasIPv6 = false
    package var hasDNS = false

    /// Whether data costs: some of it leaves by a mobile network, or is counted elsewhere.
    package var isExpensive: Bool { used.contains { $0.kind == .cellular || $0.isMetered } }

    package init() {}
}

extension NetworkPath {
    /// The path over the interfaces that a restriction allows.
    ///
    /// Without a restriction it is the kernel's decision about packets bound to nothing that counts; with one, that
    /// about packets bound to each interface that is allowed.
    package func view(_ restriction: PathRestriction = PathRestriction()) -> PathView {
        var view = PathView()
        let known = restriction.required == .loopback ? loopback.map { [$0] } ?? [] : interfaces
        let allowed = known.filter { $0.leadsOut && restriction.allows($0.kind) }
        var best = ReachabilityFlags.Rank.none
        for family in AddressFamily.allCases {
            let flags =
                if restriction.isNone {
                    defaultRoute(family)?.flags
                } else {
                    allowed.compactMap { $0.wayOut(family)?.flags }.max { $0.rank < $1.rank }
                }
            let rank = flags?.rank ?? .none
            best = max(best, rank)
            if rank == .reachable { if family == .v4 { view.hasIPv4 = true } else { view.hasIPv6 = true } }
        }
        switch best {
        case .none: return view
        case .connectionRequired: view.status = .requiresConnection
        case .reachable: view.status = .satisfied
        }
        view.interfaces = restriction.isNone ? withDefaultOverLoopback(allowed) : allowed
        view.used = inUse(view.interfaces)
        view.hasDNS = view.status == .satisfied && !servers.isEmpty
        return view
    }

    /// The default route may lead to this machine itself, as on one that answers for everybody.
    private func withDefaultOverLoopback(_ allowed: [Interface]) -> [Interface] {
        guard let loopback, [ipv4, ipv6].contains(where: { $0?.interface == loopback.index }) else { return allowed }
        return [loopback] + allowed
    }

    private func inUse(_ interfaces: [Interface]) -> [Interface] {
        var used: [Interface] = []
        for family in AddressFamily.allCases {
            let first = interfaces.first { $0.wayOut(family)?.flags.rank == .reachable }
            let next = first ?? interfaces.first { $0.wayOut(family) != nil }
            if let next, !used.contains(next) { used.append(next) }
        }
        // What a tunnel wraps leaves by another interface. Nothing says which; with the tunnel's own routes out of
        // the way, the kernel would take the most preferred one.
        if used.contains(where: \.isTunnel), let carrier = interfaces.first(where: { !$0.isTunnel }),
            !used.contains(carrier)
        {
            used.append(carrier)
        }
        return used
    }
}
