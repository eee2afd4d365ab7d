// SPDX-License-Identifier: Apache-2.0

import HostResolution
import NetworkFacts

extension Reason {
    /// An identifier for programs. It never changes; a new reason gets a new one. The manual page lists them all.
    package var code: String { codeAndWords.code }

    /// The reason in a few words, to stand in parentheses.
    package var words: String { codeAndWords.words }

    private var codeAndWords: (code: String, words: String) {
        switch self {
        case .thisMachine: ("this_machine", "this machine")
        case .onLink: ("on_link", "on the link")
        case .throughGateway: ("gateway", "through a gateway")
        case .overPointToPoint: ("point_to_point", "over a link with one peer")
        case .connectable: ("connectable", "a socket can be connected")
        case .dormantLink: ("dormant_link", "the link waits for a connection")
        case .refused(.noRoute): ("no_route", "no route")
        case .refused(.unreachable): ("unreachable_route", "route of type unreachable")
        case .refused(.prohibited): ("prohibited", "prohibited by a route or rule")
        case .refused(.blackhole): ("blackhole", "route of type blackhole")
        case .refused(.familyUnsupported): ("family_unsupported", "address family not supported")
        case .refused(.noRouteOnInterface): ("no_route_on_interface", "no route by that interface")
        case .refused(.leavesElsewhere): ("leaves_elsewhere", "its route leaves by another interface")
        case .interfaceMissing: ("interface_missing", "no such interface")
        case .interfaceNotNamed: ("interface_not_named", "a link-local address without its interface")
        case .noSourceAddress: ("no_source_address", "no address to send from")
        case .linkDisabled: ("link_down", "link is down")
        case .linkBroken(.testing): ("link_testing", "link is being tested")
        case .linkBroken(.lowerLayerDown): ("lower_layer_down", "the link below is down")
        case .linkBroken(.notPresent): ("device_not_present", "device is not present")
        case .linkBroken: ("no_carrier", "no carrier")
        case .linkGone: ("link_gone", "link has gone")
        case .notOurAddress: ("not_our_address", "local address is not this machine's")
        case .familiesDiffer: ("families_differ", "addresses of different families")
        case .otherFamily: ("no_address_of_family", "no address of that family")
        case .notResolved(let outcome): outcome.codeAndWords
        }
    }

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
    fileprivate var codeAndWords: (code: String, words: String) {
        switch self {
        case .addresses, .noData: ("no_addresses", "the name has no addresses")
        case .noSuchName: ("no_such_name", "no such name")
        case .failed: ("name_servers_failed", "name servers failed")
        case .couldNotAsk: ("could_not_ask", "name servers could not be asked")
        case .deadlinePassed: ("no_answer", "no name server answered")
        case .cancelled: ("cancelled", "cancelled")
        case .noServerReachable: ("no_name_server_reachable", "no name server is reachable")
        case .noServerConfigured: ("no_name_server_configured", "no name server is configured")
        case .impossibleName: ("impossible_name", "can never resolve")
        }
    }
}
