// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts

/// The answer for a target: the flags, the interface that they are about, and the reason.
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

/// A verdict, and how long it holds.
package struct TimedVerdict: Sendable {
    package var verdict: Verdict
    /// In how many kernel clock ticks the lifetime of the route ends; nil if it has none.
    package var expiresInTicks: UInt32?
    /// Whether no lifetime may also mean less than one tick, as the kernel rounds down.
    package var expiryIsUncertain = false

    package init(verdict: Verdict) {
        self.verdict = verdict
    }

    package init(on query: RouteQuery, answer: RouteAnswer, link: LinkState?) {
        verdict = PathEvaluation.evaluate(query, answer: answer, link: link)
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

/// What decided a verdict. Each branch of the evaluation has a case of its own, so that tests can tell them apart.
package enum Reason: Hashable, Sendable {
    /// The target is an address of this machine, or its route leaves by the loopback interface.
    case thisMachine
    /// The target is on a working link itself.
    case onLink
    /// The route leads over a working link, through a gateway.
    case throughGateway
    /// The route leads over a working link with a single peer.
    case overPointToPoint
    /// The route's link waits for a connection to be made.
    case dormantLink
    /// The kernel has no route, or one that forbids it.
    case refused(RouteRefusal)
    /// The interface in the options does not exist now.
    case interfaceMissing
    /// The target is a link-local address without an interface.
    case interfaceNotNamed
    /// There is a route, but this machine has no address to send from.
    case noSourceAddress
    /// The route's link is not up.
    case linkDisabled
    /// The route's link is up, but cannot carry packets.
    case linkBroken(LinkFacts.OperationalState)
    /// The route's link disappeared between the two questions.
    case linkGone
    /// The local address of a pair does not belong to this machine.
    case notOurAddress
    /// The two addresses of a pair are of different families.
    case familiesDiffer
    /// A UDP socket can be connected to it. Nothing more can be found out here.
    case connectable
    /// The name has no addresses, for the given reason.
    case notResolved(ResolutionOutcome)
    /// The name has addresses, but none of the family asked for.
    case otherFamily
}

extension Reason: CustomStringConvertible {
    /// The reason in words, to follow a colon.
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
        case .notOurAddress: "the local address does not belong to this machine"
        case .connectable: "a socket can be connected to it"
        case .notResolved(let outcome): outcome.words
        case .otherFamily: "the name has no address of the family asked for"
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
