// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The answer for a target: the flags, the interface that they are about, the reason, how long the answer holds, and for which
/// user.
package struct Verdict: Equatable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?
    package var reason: Reason
    package var lifetime = RouteLifetime.endless
    /// Whether the kernel was asked for an IPv6 route. Such routes are announced before lookups find them.
    package var involvesIPv6 = false
    /// The user the kernel was asked about, if rules name users and the options do not.
    package var user: UInt32?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil, reason: Reason) {
        self.flags = flags
        self.interface = interface
        self.reason = reason
    }

    static func unreachable(_ reason: Reason, interface: InterfaceIndex? = nil) -> Verdict {
        Verdict(flags: [], interface: interface, reason: reason)
    }

    package init(on query: RouteQuery, answer: RouteAnswer, link: LinkState?) {
        self = PathEvaluation.evaluate(query, answer: answer, link: link)
        if case .v6 = query.destination { involvesIPv6 = true }
        if case .route(let route) = answer { lifetime = RouteLifetime(route) }
    }

    /// Whether both have the same flags, interface and reason, however long they hold.
    package static func == (one: Verdict, other: Verdict) -> Bool {
        (one.flags, one.interface, one.reason) == (other.flags, other.interface, other.reason)
    }

    /// The better of two answers; this one if they are equally good.
    package func better(_ other: Verdict) -> Verdict {
        var better = other.flags.rank > flags.rank ? other : self
        better.involvesIPv6 = involvesIPv6 || other.involvesIPv6
        better.user = user ?? other.user
        better.lifetime = lifetime.sooner(other.lifetime)
        return better
    }
}

extension Sequence<Target> {
    /// The best of the answers for these targets, or the first of equally good ones. Nil if there are no targets. The kernel is
    /// not asked about targets after a reachable one. A target that is refused might be better than those that are not reachable.
    @inline(__always)
    func bestVerdict(_ socket: RouteClient, _ keys: RoutingKeys) throws(NetlinkError) -> Verdict? {
        var best: Verdict?
        var refusal: NetlinkError?
        for target in self {
            do throws(NetlinkError) {
                let found = try socket.verdict(on: target, keys: keys)
                best = best?.better(found) ?? found
                if found.flags.rank == .reachable { return best }
            } catch {
                guard error.concernsOneQuestion else { throw error }
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return best
    }
}

/// One request to the kernel, and everything that was learned from its answer. Explanations are made of these.
package struct LookupRecord: Sendable {
    /// The purpose of the request.
    package enum Purpose: Hashable, Sendable {
        case target
        /// To find out whether the local address of a pair belongs to this machine.
        case ownership
        /// To find the default route of one family.
        case defaultPath
    }

    package var purpose: Purpose
    package var query: RouteQuery
    /// Whether this is the second request for the same route, as connect(2) looks up twice.
    package var isRepeated: Bool
    /// The keys from the options of the reference. Any others in the request come from the process's control group.
    package var given: RoutingKeys
    package var answer: RouteAnswer
    /// The keys that the policy rules of the family look at.
    package var rules: RoutingRules
    package var link: LinkFacts?
    /// Nil if this answer did not decide, because the kernel looks up again.
    package var verdict: Verdict?

    /// Whether a rule names the source port, which a socket chooses when it connects, or the destination port, and that was not
    /// given.
    package var dependsOnPorts: Bool {
        rules.contains(.sourcePorts) || rules.contains(.destinationPorts) && query.port == nil
    }

    package init(
        purpose: Purpose, query: RouteQuery, isRepeated: Bool = false, given: RoutingKeys = RoutingKeys(),
        rules: RoutingRules = [],
        answer: RouteAnswer, link: LinkFacts?, verdict: Verdict?
    ) {
        self.purpose = purpose
        self.query = query
        self.isRepeated = isRepeated
        self.given = given
        self.answer = answer
        self.rules = rules
        self.link = link
        self.verdict = verdict
    }
}

/// The part of an answer that a client can see. Subscribers are notified when it changes. The interface is part of it, as on
/// Apple's systems (configd-1405, SCNetworkReachability.c l.1713).
package struct Observation: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil) {
        self.flags = flags
        self.interface = interface
    }

    package init(_ verdict: Verdict) {
        // If a target cannot be reached, the client does not see which link is broken.
        self.init(flags: verdict.flags, interface: verdict.flags.isEmpty ? nil : verdict.interface)
    }
}
