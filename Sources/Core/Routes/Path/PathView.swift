// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Which interfaces a client wants to use.
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

/// A path reduced to the interfaces that a restriction allows.
package struct PathView: Hashable, Sendable {
    package var status = NetworkPath.Status.unsatisfied
    /// The interfaces that lead out, in order of preference.
    package var interfaces: [NetworkPath.Interface] = []
    /// The interfaces that packets leave by now: the first of each family, and the one that a tunnel most likely uses.
    package var used: [NetworkPath.Interface] = []
    package var hasIPv4 = false
    package var hasIPv6 = false
    package var hasDNS = false
    /// Whether packets cannot leave because the tunnel of the default route carries nothing.
    package var isTunnelDown = false

    /// Whether some packets leave by a mobile network or a metered interface.
    package var isExpensive: Bool { used.contains { $0.kind == .cellular } || isConstrained }
    /// Whether some packets leave by a metered interface.
    package var isConstrained: Bool { used.contains(where: \.isMetered) }

    package init() {}
}

extension NetworkPath {
    /// The path over the interfaces that a restriction allows.
    ///
    /// Without a restriction, this is the kernel's decision about unbound packets. With one, it is made of the decisions about
    /// packets that are bound to each allowed interface.
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
        case .none:
            view.isTunnelDown = restriction.isNone && isTunnelDown
            return view
        case .connectionRequired: view.status = .requiresConnection
        case .reachable: view.status = .satisfied
        }
        view.interfaces = restriction.isNone ? withDefaultOverLoopback(allowed) : allowed
        view.used = inUse(view.interfaces)
        view.hasDNS = view.status == .satisfied && !servers.isEmpty
        return view
    }

    /// Adds loopback if the default route leads to this machine itself, as on a machine that answers for all addresses.
    private func withDefaultOverLoopback(_ allowed: [Interface]) -> [Interface] {
        guard let loopback, [ipv4, ipv6].contains(where: { $0?.interface == loopback.linkIndex }) else {
            return allowed
        }
        return [loopback] + allowed
    }

    private func inUse(_ interfaces: [Interface]) -> [Interface] {
        var used: [Interface] = []
        for family in AddressFamily.allCases {
            let first = interfaces.first { $0.wayOut(family)?.flags.rank == .reachable }
            let next = first ?? interfaces.first { $0.wayOut(family) != nil }
            if let next, !used.contains(next) { used.append(next) }
        }
        // The packets of a tunnel leave by another interface. The kernel does not say which; without the tunnel's own routes it
        // would choose the most preferred one.
        if used.contains(where: \.isTunnel), let carrier = interfaces.first(where: { !$0.isTunnel }),
            !used.contains(carrier)
        {
            used.append(carrier)
        }
        return used
    }
}
