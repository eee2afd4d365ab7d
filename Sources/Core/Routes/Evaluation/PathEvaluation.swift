// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Turns the kernel's answers into flags. No I/O, no state: this is the table in the documentation as a function.
package enum PathEvaluation {
    /// The answer for one destination.
    ///
    /// - Parameters:
    ///   - query: the request to the kernel. Its destination is neither unspecified nor an IPv4-mapped IPv6 address.
    ///   - answer: the kernel's answer to it.
    ///   - link: the state of the route's link; nil if the link no longer exists.
    package static func evaluate(_ query: RouteQuery, answer: RouteAnswer, link: LinkState?) -> Verdict {
        // The kernel would choose any link, while connect(2) fails with EINVAL.
        if query.destination.needsInterface, query.interface == nil { return .unreachable(.interfaceNotNamed) }
        let route: RouteDecision
        switch answer {
        case .unreachable(.noSuchInterface): return .unreachable(.interfaceMissing)
        case .unreachable(let refusal): return .unreachable(.refused(refusal))
        case .route(let decision): route = decision
        }
        // A socket that is bound to one interface cannot be connected to an address on another (ip6_datagram_connect in
        // net/ipv6/datagram.c), except from a VRF to one of its ports.
        if query.destination.needsInterface, let bound = query.boundInterface, let interface = query.interface,
            interface != bound, route.isLocal, link?.master != bound
        {
            return .unreachable(.refused(.leavesElsewhere(interface)), interface: interface)
        }
        // The kernel delivers to its own addresses whatever the state of their device, so the link does not count.
        if route.isLocal || link?.isLoopback == true {
            return Verdict(
                flags: [.reachable, .isLocalAddress, .isDirect], interface: route.interface, reason: .thisMachine)
        }
        guard let link else {
            guard route.isHopUnknown, route.interface == nil else {
                return .unreachable(.linkGone, interface: route.interface)
            }
            return route.hasUsableSource
                ? Verdict(flags: .reachable, reason: .connectable) : .unreachable(.noSourceAddress)
        }
        guard link.serves(query.interface), link.serves(query.boundInterface) else {
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
            // The link waits for an external event (RFC 2863 3.1.14). On a dial-up link that event is traffic.
            flags.insert(.connectionRequired)
            if isTransient { flags.insert(.connectionOnTraffic) }
        case .ready:
            guard route.hasUsableSource else {
                return .unreachable(.noSourceAddress, interface: link.index)
            }
        }
        if isTransient { flags.insert(.transientConnection) }
        if link.isCellular { flags.insert(.isWWAN) }
        let hasNoGateway = route.gateway == nil || isLinkLocalNeighbour(query.destination, on: link)
        let isOnLink = !isTransient && !route.isHopUnknown && hasNoGateway
        if isOnLink { flags.insert(.isDirect) }
        let reason: Reason =
            if flags.contains(.connectionRequired) {
                .dormantLink
            } else if isTransient {
                .overPointToPoint
            } else if route.isHopUnknown {
                .connectable
            } else {
                isOnLink ? .onLink : .throughGateway
            }
        return Verdict(flags: flags, interface: link.index, reason: reason)
    }

    /// On wired links and Wi-Fi, Apple counts 169.254/16 as direct whatever the route (configd-1405,
    /// SCNetworkReachability.c l.1081), because such an address can only belong to a neighbour (RFC 3927 2.7).
    private static func isLinkLocalNeighbour(_ destination: IPAddress, on link: LinkState) -> Bool {
        guard case .v4(let address) = destination else { return false }
        return address.isLinkLocal && link.isEthernetLike
    }

    /// The answer for the default path, made from the one for an address behind it. A default path is never local or direct.
    package static func asDefaultPath(_ verdict: Verdict) -> Verdict {
        var verdict = verdict
        verdict.flags.subtract([.isLocalAddress, .isDirect])
        return verdict
    }

    /// The position of the best answer: the one with the highest rank, or the first of several.
    package static func best(of answers: some Sequence<ReachabilityFlags>) -> Int? {
        var best: (position: Int, rank: ReachabilityFlags.Rank)?
        for (position, flags) in answers.enumerated() where flags.rank > best?.rank ?? .none {
            best = (position, flags.rank)
            if flags.rank == .reachable { break }
        }
        return best?.position
    }
}

extension RouteDecision {
    /// Whether there is a source address to which a reply could be sent.
    fileprivate var hasUsableSource: Bool { source.map { !$0.isLoopback && !$0.isUnspecified } ?? false }
}

extension LinkState {
    /// Whether packets that are bound to an interface may leave by this link: it must be that interface, or a port of it.
    fileprivate func serves(_ interface: InterfaceIndex?) -> Bool {
        guard let interface else { return true }
        return index == interface || master == interface
    }
}
