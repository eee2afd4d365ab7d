// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// Turns what the kernel answered into flags. No I/O, no state: the table of the documentation, as a function.
package enum PathEvaluation {
    /// The verdict on one destination.
    ///
    /// - Parameters:
    ///   - destination: the address, not unspecified and not an IPv4 address in IPv6 clothes.
    ///   - answer: the kernel's answer for it.
    ///   - link: the state of the link the route leaves by, where it still exists.
    ///   - scope: the interface the question was bound to.
    package static func verdict(
        on destination: IPAddress, answer: RouteAnswer, link: LinkState?, scope: InterfaceIndex? = nil
    ) -> Verdict {
        let route: RouteDecision
        switch answer {
        case .unreachable(let refusal): return .unreachable(.refused(refusal))
        case .route(let decision): route = decision
        }
        // The kernel delivers to its own addresses whatever state their device is in, so no link is looked at.
        if route.isLocal || link?.isLoopback == true {
            return Verdict(
                flags: [.reachable, .isLocalAddress, .isDirect], interface: route.interface, reason: .thisMachine)
        }
        guard let link else { return .unreachable(.linkGone, interface: route.interface) }
        if let scope, link.index != scope, link.master != scope {
            return .unreachable(.refused(.leavesElsewhere(link.index)), interface: link.index)
        }

        var flags: ReachabilityFlags = .reachable
        let isTransient = link.isPointToPoint || link.isCellular
        switch link.readiness {
        case .disabled:
            return .unreachable(.linkDisabled, interface: link.index)
        case .broken(let state):
            return .unreachable(.linkBroken(state), interface: link.index)
        case .dormant:
            // RFC 2863 3.1.14: waiting for an external event; on a dial-up link that event is traffic.
            flags.insert(.connectionRequired)
            if isTransient { flags.insert(.connectionOnTraffic) }
        case .ready:
            break
        }
        if isTransient { flags.insert(.transientConnection) }
        if link.isCellular { flags.insert(.isWWAN) }
        let isOnLink = !isTransient && (route.gateway == nil || isLinkLocalNeighbour(destination, on: link))
        if isOnLink { flags.insert(.isDirect) }
        let reason: Reason =
            if flags.contains(.connectionRequired) {
                .dormantLink
            } else if isTransient {
                .overPointToPoint
            } else {
                isOnLink ? .onLink : .throughGateway
            }
        return Verdict(flags: flags, interface: link.index, reason: reason)
    }

    /// Apple counts 169.254/16 as direct on wired links and Wi-Fi whatever the route says (configd-1405,
    /// SCNetworkReachability.c l.1081): such an address can only belong to a neighbour (RFC 3927 2.7).
    private static func isLinkLocalNeighbour(_ destination: IPAddress, on link: LinkState) -> Bool {
        guard case .v4(let address) = destination else { return false }
        return address.isLinkLocal && link.isEthernetLike
    }

    /// The verdict on the default path, made from that on an address behind it: a way out is never local or direct.
    package static func asDefaultPath(_ verdict: Verdict) -> Verdict {
        var verdict = verdict
        verdict.flags.subtract([.isLocalAddress, .isDirect])
        return verdict
    }

    /// The best of several answers: the highest rank, and of equal ranks the first.
    package static func best(of answers: some Sequence<ReachabilityFlags>) -> Int? {
        var best: (position: Int, rank: ReachabilityFlags.Rank)?
        for (position, flags) in answers.enumerated() where flags.rank > best?.rank ?? .none {
            best = (position, flags.rank)
            if flags.rank == .reachable { break }
        }
        return best?.position
    }
}
