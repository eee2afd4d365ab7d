// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The fact that decided an answer. Each branch of the evaluation has its own case, so that tests can tell the branches apart.
package enum Reason: Hashable, Sendable {
    /// The target is an address of this machine, or its route leaves by the loopback interface.
    case thisMachine
    /// The target is on a working link of this machine.
    case onLink
    /// The route leads over a working link, through a gateway.
    case throughGateway
    /// The route leads over a working link with a single peer.
    case overPointToPoint
    /// The route's link waits for a connection to be made.
    case dormantLink
    /// The kernel has no route, or has one that forbids the target.
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
    /// The route's link disappeared between the request for the route and the one for the link.
    case linkGone
    /// The local address of a pair does not belong to this machine.
    case notOurAddress
    /// The two addresses of a pair are of different families.
    case familiesDiffer
    /// A UDP socket can be connected to the target. Nothing more can be found out here.
    case connectable
    /// The kernel could not be asked, because a name has no addresses.
    case notAsked(StatedReason)
}

/// A reason that does not come from the kernel, and is known before the kernel is asked.
package struct StatedReason: Hashable, Sendable {
    let code: String
    let words: String
    let sentence: String
    /// Whether nothing could be found out about the target.
    let isUndetermined: Bool

    package init(code: String, words: String, sentence: String, isUndetermined: Bool) {
        (self.code, self.words, self.sentence, self.isUndetermined) = (code, words, sentence, isUndetermined)
    }
}

/// The names of reasons for programs, people and explanations: the only table of them in the package.
extension Reason {
    /// An identifier for programs. It never changes, and a new reason gets a new one. The manual page lists them all.
    package var code: String { names.code }

    /// The reason in a few words, for use in parentheses.
    package var words: String { names.words }

    private var names: (code: String, words: String, sentence: String) {
        switch self {
        case .thisMachine: ("this_machine", "this machine", "the address is this machine's own")
        case .onLink: ("on_link", "on the link", "the target is on the link itself, with no gateway between")
        case .throughGateway: ("gateway", "through a gateway", "a gateway leads to the target")
        case .overPointToPoint:
            ("point_to_point", "over a link with one peer", "a link with a single peer leads to the target")
        case .connectable: ("connectable", "a socket can be connected", "a socket can be connected to it")
        case .dormantLink:
            (
                "dormant_link", "the link waits for a connection",
                "the link waits for a connection to be made, such as a dial or a login"
            )
        case .refused(let refusal): refusal.names
        case .interfaceMissing: RouteRefusal.noSuchInterface.names
        case .interfaceNotNamed:
            (
                "interface_not_named", "a link-local address without its interface",
                "a link-local address has to name its interface, as in fe80::1%eth0"
            )
        case .noSourceAddress:
            ("no_source_address", "no address to send from", "there is a route, but no address to send from")
        case .linkDisabled: ("link_down", "link is down", "the link of the route is switched off")
        case .linkBroken(.testing): ("link_testing", "link is being tested", "the link of the route is being tested")
        case .linkBroken(.lowerLayerDown):
            ("lower_layer_down", "the link below is down", "the link of the route has nothing working below it")
        case .linkBroken(.notPresent):
            ("device_not_present", "device is not present", "the device of the route's link is not present")
        case .linkBroken: ("no_carrier", "no carrier", "the link of the route has no carrier")
        case .linkGone: ("link_gone", "link has gone", "the link of the route has just gone")
        case .notOurAddress:
            (
                "not_our_address", "local address is not this machine's",
                "the local address does not belong to this machine"
            )
        case .familiesDiffer:
            (
                "families_differ", "addresses of different families",
                "the local and the remote address are of different families"
            )
        case .notAsked(let stated): (stated.code, stated.words, stated.sentence)
        }
    }
}

extension Reason: CustomStringConvertible {
    /// The reason in words, for use after a colon.
    package var description: String { names.sentence }
}

extension RouteRefusal: CustomStringConvertible {
    package var description: String { names.sentence }

    fileprivate var names: (code: String, words: String, sentence: String) {
        switch self {
        case .noRoute: ("no_route", "no route", "there is no route to it")
        case .unreachable:
            ("unreachable_route", "route of type unreachable", "a route of type 'unreachable' covers it")
        case .prohibited:
            ("prohibited", "prohibited by a route or rule", "a route or rule of type 'prohibit' covers it")
        case .blackhole:
            ("blackhole", "route of type blackhole", "a route, rule or next hop of type 'blackhole' covers it")
        case .familyUnsupported:
            (
                "family_unsupported", "address family not supported", "this kernel does not speak its address family"
            )
        case .noRouteOnInterface:
            ("no_route_on_interface", "no route by that interface", "the interface asked for has no route to it")
        case .noSuchInterface:
            ("interface_missing", "no such interface", "the interface asked for does not exist now")
        case .leavesElsewhere(let index):
            (
                "leaves_elsewhere", "its route leaves by another interface",
                "its route leaves by interface \(index.rawValue), not by the one asked for"
            )
        }
    }
}

extension Reason {
    /// Whether nothing could be found out about the target.
    package var isUndetermined: Bool {
        if case .notAsked(let stated) = self { stated.isUndetermined } else { false }
    }

    /// The codes of all answers of the kernel, for the test of the manual page.
    package static let routeCodes: [String] = {
        let plain: [Reason] = [
            .thisMachine, .onLink, .throughGateway, .overPointToPoint, .connectable, .dormantLink,
            .refused(.noRoute), .refused(.unreachable), .refused(.prohibited), .refused(.blackhole),
            .refused(.familyUnsupported), .refused(.noRouteOnInterface), .interfaceMissing, .interfaceNotNamed,
            .noSourceAddress, .linkDisabled, .linkBroken(.testing), .linkBroken(.lowerLayerDown),
            .linkBroken(.notPresent), .linkBroken(.down), .linkGone, .notOurAddress, .familiesDiffer,
        ]
        let elsewhere = InterfaceIndex(1).map { [Reason.refused(.leavesElsewhere($0))] } ?? []
        return (plain + elsewhere).map(\.code)
    }()
}
