// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts

/// The answer to a question: the flags, the interface they speak of, and why.
package struct Verdict: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?
    package var reason: Reason

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil, reason: Reason) {
        self.flags = flags
        self.interface = interface
        self.reason = reason
    }

    static func unreachable(_ reason: Reason, interface: InterfaceIndex? = nil) -> Verdict {
        Verdict(flags: [], interface: interface, reason: reason)
    }
}

/// A verdict, and for how long it can be used.
package struct TimedVerdict: Sendable {
    package var verdict: Verdict
    /// In how many kernel clock ticks the route ends of itself; nil for never.
    package var expiresInTicks: UInt32?
    /// Whether the kernel's "never" could mean "in less than one tick": it rounds down.
    package var expiryIsUncertain = false

    package init(verdict: Verdict) {
        self.verdict = verdict
    }

    package init(on query: RouteQuery, answer: RouteAnswer, link: LinkState?) {
        verdict = PathEvaluation.verdict(on: query, answer: answer, link: link)
        guard case .route(let decision) = answer else { return }
        expiresInTicks = decision.expiresInTicks
        expiryIsUncertain = decision.canExpire && decision.expiresInTicks == nil
    }

    var asDefaultPath: TimedVerdict {
        var timed = self
        timed.verdict = PathEvaluation.asDefaultPath(verdict)
        return timed
    }
}

/// What decided. One case for each way through the evaluation, so that a test can name the way and not only the end.
package enum Reason: Hashable, Sendable {
    /// The target is this machine's own address, or lies behind the loopback interface.
    case thisMachine
    /// Over a working link, on the link itself.
    case onLink
    /// Over a working link, through a gateway.
    case throughGateway
    /// Over a working link that has one peer and nothing else.
    case overPointToPoint
    /// Over a link that waits for a connection to be made.
    case dormantLink
    /// The kernel has no route, or one that forbids.
    case refused(RouteRefusal)
    /// The interface that was asked for does not exist now.
    case interfaceMissing
    /// The target means something on one link only, and names none.
    case interfaceNotNamed
    /// There is a route, but no address of this machine's that packets could be sent from.
    case noSourceAddress
    /// The route's link is not up.
    case linkDisabled
    /// The route's link is up, but nothing can pass below it.
    case linkBroken(LinkFacts.OperationalState)
    /// The route's link went away while it was being looked at.
    case linkGone
    /// The local address of a pair is none of this machine's.
    case notOurAddress
    /// The two addresses of a pair are of different families.
    case familiesDiffer
    /// A UDP socket can be connected to it; nothing more can be asked here.
    case connectable
    /// The name has no addresses, for the reason given.
    case notResolved(ResolutionOutcome)
}

extension Reason: CustomStringConvertible {
    /// The reason in plain words, to stand behind a colon.
    package var description: String {
        switch self {
        case .thisMachine: "the address is this machine's own"
        case .onLink: "the target is on the link itself, with no gateway between"
        case .throughGateway: "a gateway leads to the target"
        case .overPointToPoint: "a link with a single peer leads to the target"
        case .dormantLink: "the link waits for a connection to be made, such as a dial or a login"
        case .refused(let refusal): refusal.description
        case .interfaceMissing: "the interface asked for does not exist now"
        case .interfaceNotNamed: "a link-local address has to name its interface, as in fe80::1%eth0"
        case .noSourceAddress: "there is a route, but no address to send from"
        case .linkDisabled: "the link of the route is switched off"
        case .linkBroken(.testing): "the link of the route is being tested"
        case .linkBroken(.lowerLayerDown): "the link of the route has nothing working below it"
        case .linkBroken(.notPresent): "the device of the route's link is not present"
        case .linkBroken: "the link of the route has no carrier"
        case .linkGone: "the link of the route has just gone"
        case .notOurAddress: "the local address is none of this machine's"
        case .connectable: "a socket can be connected to it"
        case .notResolved(let outcome): outcome.words
        case .familiesDiffer: "the local and the remote address are of different families"
        }
    }
}

extension RouteRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoute: "there is no route to it"
        case .unreachable: "a route of type 'unreachable' covers it"
        case .prohibited: "a route or rule of type 'prohibit' covers it"
        case .blackhole: "a route, rule or next hop of type 'blackhole' covers it"
        case .familyUnsupported: "this kernel does not speak its address family"
        case .noRouteOnInterface: "the interface asked for has no route to it"
        case .leavesElsewhere(let index): "its route leaves by interface \(index.rawValue), not by the one asked for"
        }
    }
}
