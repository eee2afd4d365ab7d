// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The answer for a target: the flags, the interface that they are about, the reason, and how long it holds for whom.
package struct Verdict: Equatable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?
    package var reason: Reason
    package var lifetime = RouteLifetime.endless
    /// Whether an IPv6 route was asked for. Such routes are announced before lookups find them.
    package var involvesIPv6 = false
    /// The user who was asked for, if rules name users and the options do not.
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

    /// Whether both say the same, however long they hold.
    package static func == (one: Verdict, other: Verdict) -> Bool {
        (one.flags, one.interface, one.reason) == (other.flags, other.interface, other.reason)
    }

    /// The better of two verdicts, of equal ones this.
    package func better(_ other: Verdict) -> Verdict {
        var better = other.flags.rank > flags.rank ? other : self
        better.involvesIPv6 = involvesIPv6 || other.involvesIPv6
        better.user = user ?? other.user
        better.lifetime = lifetime.sooner(other.lifetime)
        return better
    }
}

extension Sequence<Target> {
    /// The best of the verdicts on these targets, of equal ones the first. Nil if there are no targets. The targets after one
    /// that is reachable are not asked about. One that is refused might be better than those that are not reachable.
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

/// One question to the kernel, and everything that was learned from its answer. Explanations are made of these.
package struct LookupRecord: Sendable {
    /// Why the question was asked.
    package enum Purpose: Hashable, Sendable {
        case target
        /// To find out whether the local address of a pair belongs to this machine.
        case ownership
        /// To find the default route of one family.
        case defaultPath
    }

    package var purpose: Purpose
    package var query: RouteQuery
    /// Whether the question is put for the second time, as connect(2) looks up twice.
    package var isRepeated: Bool
    /// The keys from the reference's options. Any others in the question come from the process's control group.
    package var given: RoutingKeys
    package var answer: RouteAnswer
    /// What the rules of the family look at.
    package var rules: RoutingRules
    package var link: LinkFacts?
    /// Nil if the answer did not decide, because the kernel looks up again.
    package var verdict: Verdict?

    /// Whether a rule names the sender's port, which the socket chooses when it connects, or the receiver's, which was not
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

/// What a client can see of a verdict. Subscribers are notified when this changes. The interface counts, as it does on
/// Apple's systems (configd-1405, SCNetworkReachability.c l.1713).
package struct Observation: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil) {
        self.flags = flags
        self.interface = interface
    }

    package init(_ verdict: Verdict) {
        // If a target cannot be reached, the client does not see over which broken link.
        self.init(flags: verdict.flags, interface: verdict.flags.isEmpty ? nil : verdict.interface)
    }
}
