// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem
package import Netlink

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

/// How the package names reasons: this is the one table, for programs, people and explanations.
extension Reason {
    /// An identifier for programs. It never changes; a new reason gets a new one. The manual page lists them all.
    package var code: String { names.code }

    /// The reason in a few words, to stand in parentheses.
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
        case .otherFamily:
            ("no_address_of_family", "no address of that family", "the name has no address of the family asked for")
        case .notResolved(let outcome): outcome.names
        }
    }
}

extension Reason: CustomStringConvertible {
    /// The reason in words, to follow a colon.
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
    /// Whether nothing was found out about the target: a name server was asked, and did not answer.
    package var isUndetermined: Bool {
        switch self {
        case .notResolved(.failed), .notResolved(.deadlinePassed), .notResolved(.cancelled), .notResolved(.couldNotAsk):
            true
        default: false
        }
    }

    /// Every code, for the manual page's test.
    package static let allCodes: [String] = {
        let plain: [Reason] = [
            .thisMachine, .onLink, .throughGateway, .overPointToPoint, .connectable, .dormantLink,
            .refused(.noRoute), .refused(.unreachable), .refused(.prohibited), .refused(.blackhole),
            .refused(.familyUnsupported), .refused(.noRouteOnInterface), .interfaceMissing, .interfaceNotNamed,
            .noSourceAddress, .linkDisabled, .linkBroken(.testing), .linkBroken(.lowerLayerDown),
            .linkBroken(.notPresent), .linkBroken(.down), .linkGone, .notOurAddress, .familiesDiffer, .otherFamily,
        ]
        let elsewhere = InterfaceIndex(1).map { [Reason.refused(.leavesElsewhere($0))] } ?? []
        let outcomes: [ResolutionOutcome] = [
            .noSuchName, .noData, .failed(AresStatus(code: 0)), .deadlinePassed, .noServerReachable,
            .noServerConfigured, .impossibleName,
        ]
        return (plain + elsewhere + outcomes.map(Reason.notResolved)).map(\.code)
    }()
}

extension ResolutionOutcome {
    /// The outcome as text.
    package var sentence: String { names.sentence }

    fileprivate var names: (code: String, words: String, sentence: String) {
        switch self {
        case .addresses: ("no_addresses", "the name has no addresses", "the name has addresses")
        case .noData: ("no_addresses", "the name has no addresses", "the name exists, but has no addresses")
        case .noSuchName: ("no_such_name", "no such name", "there is no such name")
        case .failed(let status):
            ("name_servers_failed", "name servers failed", "the name servers failed to answer: \(status)")
        case .couldNotAsk(let error):
            ("could_not_ask", "name servers could not be asked", "the name servers could not be asked: \(error)")
        case .deadlinePassed: ("no_answer", "no name server answered", "no name server answered in time")
        case .cancelled: ("cancelled", "cancelled", "the lookup was cancelled")
        case .noServerReachable:
            ("no_name_server_reachable", "no name server is reachable", "none of the name servers can be reached")
        case .noServerConfigured:
            ("no_name_server_configured", "no name server is configured", "no name server is configured")
        case .impossibleName: ("impossible_name", "can never resolve", "it can never resolve")
        }
    }
}
