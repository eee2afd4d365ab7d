// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

/// The verdicts that follow from an answer and a link: the table of the documentation, row by row.
@Suite("The evaluation of a path")
struct EvaluationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fact: String
        var destination = IPAddress.v4(IPv4Address(192, 0, 2, 1))
        var answer: RouteAnswer
        var link: LinkFacts?
        var scope: InterfaceIndex?
        var flags: UInt32
        var reason: Reason

        var testDescription: String { fact }

        var query: RouteQuery { RouteQuery(destination: destination, interface: scope) }
    }

    static let two = InterfaceIndex(2)!
    static let three = InterfaceIndex(3)!
    static let gateway = IPAddress.v4(IPv4Address(10, 0, 0, 254))
    static let linkLocal = IPAddress.v4(IPv4Address(169, 254, 1, 1))

    static func link(_ configure: (inout LinkFacts) -> Void = { _ in }) -> LinkFacts {
        var link = LinkFacts(index: two, name: "eth0")
        configure(&link)
        return link
    }

    static let ethernet = link()
    static let tunnel = link { ($0.hardwareType, $0.flags) = (65534, [.up, .running, .lowerUp, .pointToPoint]) }
    static let modem = link { $0.hardwareType = 519 }
    static let usbModem = link { $0.deviceType = "wwan" }
    static let loopback = link { ($0.hardwareType, $0.flags, $0.operationalState) = (772, [.up, .loopback], .unknown) }

    static func dormant(_ link: LinkFacts) -> LinkFacts {
        var link = link
        link.operationalState = .dormant
        return link
    }

    static let own = IPAddress.v4(IPv4Address(10, 0, 0, 1))

    static func route(
        _ kind: RouteDecision.Kind, via gateway: IPAddress? = nil, from source: IPAddress? = own
    ) -> RouteAnswer {
        .route(RouteDecision(kind: kind, interface: two, gateway: gateway, source: source))
    }

    static let onLink = route(.unicast)
    static let routed = route(.unicast, via: gateway)
    static let viaIPv6 = route(.unicast, via: .v6(IPv6Address(high: 0xFE80_0000_0000_0000, low: 1)))

    static let reachable: [Row] = [
        Row(fact: "an own address", answer: route(.local), link: loopback, flags: 0x30002, reason: .thisMachine),
        Row(fact: "an own address, no link looked at", answer: route(.local), flags: 0x30002, reason: .thisMachine),
        Row(
            fact: "an own address on a link that is off", answer: route(.local), link: link { $0.flags = [] },
            flags: 0x30002, reason: .thisMachine),
        Row(fact: "a route out of lo", answer: onLink, link: loopback, flags: 0x30002, reason: .thisMachine),
        Row(fact: "anycast", answer: route(.anycast), link: loopback, flags: 0x30002, reason: .thisMachine),
        Row(fact: "a neighbour", answer: onLink, link: ethernet, flags: 0x20002, reason: .onLink),
        Row(
            fact: "a neighbour, link state unknown", answer: onLink, link: link { $0.operationalState = .unknown },
            flags: 0x20002, reason: .onLink),
        Row(fact: "broadcast", answer: route(.broadcast), link: ethernet, flags: 0x20002, reason: .onLink),
        Row(fact: "multicast", answer: route(.multicast), link: ethernet, flags: 0x20002, reason: .onLink),
        Row(fact: "a gateway", answer: routed, link: ethernet, flags: 0x2, reason: .throughGateway),
        Row(fact: "an IPv6 gateway for IPv4", answer: viaIPv6, link: ethernet, flags: 0x2, reason: .throughGateway),
        Row(fact: "a tunnel", answer: onLink, link: tunnel, flags: 0x3, reason: .overPointToPoint),
        Row(fact: "a tunnel with a gateway", answer: routed, link: tunnel, flags: 0x3, reason: .overPointToPoint),
        Row(fact: "a modem of raw IP", answer: onLink, link: modem, flags: 0x40003, reason: .overPointToPoint),
        Row(fact: "a modem like Ethernet", answer: routed, link: usbModem, flags: 0x40003, reason: .overPointToPoint),
        Row(
            fact: "169.254/16 through a gateway on Ethernet", destination: linkLocal, answer: routed, link: ethernet,
            flags: 0x20002, reason: .onLink),
        Row(
            fact: "169.254/16 through a tunnel", destination: linkLocal, answer: routed, link: tunnel, flags: 0x3,
            reason: .overPointToPoint),
        Row(
            fact: "169.254/16 through a gateway on an odd link", destination: linkLocal, answer: routed,
            link: link { $0.hardwareType = 32 }, flags: 0x2, reason: .throughGateway),
        Row(
            fact: "bound to the link it leaves by", answer: routed, link: ethernet, scope: two, flags: 0x2,
            reason: .throughGateway),
        Row(
            fact: "bound to the VRF of the link it leaves by", answer: routed, link: link { $0.master = three },
            scope: three, flags: 0x2, reason: .throughGateway),
    ]

    static let waiting: [Row] = [
        Row(fact: "dormant, a gateway", answer: routed, link: dormant(ethernet), flags: 0x6, reason: .dormantLink),
        Row(
            fact: "dormant, a neighbour", answer: onLink, link: dormant(ethernet), flags: 0x20006, reason: .dormantLink),
        Row(fact: "a dormant dial-up", answer: onLink, link: dormant(tunnel), flags: 0xF, reason: .dormantLink),
        Row(
            fact: "a dormant dial-up, a gateway", answer: routed, link: dormant(tunnel), flags: 0xF,
            reason: .dormantLink),
        Row(fact: "a dormant modem", answer: onLink, link: dormant(modem), flags: 0x4000F, reason: .dormantLink),
        Row(fact: "a dormant USB modem", answer: routed, link: dormant(usbModem), flags: 0x4000F, reason: .dormantLink),
    ]

    static let broken: [Row] =
        [LinkFacts.OperationalState.down, .lowerLayerDown, .notPresent, .testing].map { state in
            Row(
                fact: "up, but \(state)", answer: routed, link: link { $0.operationalState = state }, flags: 0,
                reason: .linkBroken(state))
        } + [
            Row(
                fact: "switched off", answer: onLink, link: link { $0.flags = [.lowerUp] }, flags: 0,
                reason: .linkDisabled),
            Row(
                fact: "a dormant link switched off", answer: onLink, link: dormant(link { $0.flags = [] }), flags: 0,
                reason: .linkDisabled),
            Row(
                fact: "a tunnel without a reader", answer: onLink,
                link: link { ($0.hardwareType, $0.operationalState) = (65534, .down) }, flags: 0,
                reason: .linkBroken(.down)),
            Row(fact: "the link has gone", answer: routed, flags: 0, reason: .linkGone),
            Row(
                fact: "bound to another link", answer: routed, link: ethernet, scope: three, flags: 0,
                reason: .refused(.leavesElsewhere(two))),
        ]

    static let sourceless: [Row] = [
        Row(
            fact: "no address to send from", answer: route(.unicast, from: nil), link: ethernet, flags: 0,
            reason: .noSourceAddress),
        Row(
            fact: "0.0.0.0 to send from", answer: route(.unicast, via: gateway, from: .v4(.any)), link: ethernet,
            flags: 0, reason: .noSourceAddress),
        Row(
            fact: "::1 to send from", answer: route(.unicast, via: gateway, from: .v6(.loopback)), link: tunnel,
            flags: 0, reason: .noSourceAddress),
        Row(
            fact: "a broadcast from nowhere", answer: route(.broadcast, from: nil), link: ethernet, flags: 0,
            reason: .noSourceAddress),
    ]

    static let sourcelessAndMore: [Row] = [
        Row(
            fact: "a link-local address to send from", answer: route(.unicast, from: linkLocal), link: ethernet,
            flags: 0x20002, reason: .onLink),
        Row(
            fact: "no address for an own address", answer: route(.local, from: nil), link: ethernet, flags: 0x30002,
            reason: .thisMachine),
        Row(
            fact: "no address behind lo", answer: route(.unicast, from: nil), link: loopback, flags: 0x30002,
            reason: .thisMachine),
        // An address comes once the link has what it waits for.
        Row(
            fact: "no address yet on a dormant link", answer: route(.unicast, from: nil), link: dormant(ethernet),
            flags: 0x20006, reason: .dormantLink),
        Row(
            fact: "no address on a link that is off", answer: route(.unicast, from: nil), link: link { $0.flags = [] },
            flags: 0, reason: .linkDisabled),
    ]

    static let needsInterface: [Row] = [
        Row(
            fact: "fe80::5 that names no interface", destination: IPAddress(text: "fe80::5"), answer: onLink,
            link: ethernet, flags: 0, reason: .interfaceNotNamed),
        Row(
            fact: "ff02::1 that names no interface", destination: IPAddress(text: "ff02::1"), answer: onLink,
            link: ethernet, flags: 0, reason: .interfaceNotNamed),
        Row(
            fact: "fe80::5 on its interface", destination: IPAddress(text: "fe80::5"), answer: onLink,
            link: ethernet, scope: two, flags: 0x20002, reason: .onLink),
    ]

    static let refusals: [Row] =
        [RouteRefusal.noRoute, .unreachable, .prohibited, .blackhole, .familyUnsupported, .noRouteOnInterface]
        .map { Row(fact: "\($0)", answer: .unreachable($0), link: ethernet, flags: 0, reason: .refused($0)) }

    @Test(
        "gives each fact its flags and its reason",
        arguments: [reachable, waiting, broken, sourceless, sourcelessAndMore, needsInterface, refusals].flatMap { $0 })
    func rows(_ row: Row) {
        let verdict = PathEvaluation.evaluate(
            row.query, answer: row.answer, link: row.link?.state)
        #expect(verdict.flags.rawValue == row.flags)
        #expect(verdict.reason == row.reason)
    }

    @Test(
        "a verdict names the link it speaks of, also where that is why it is unreachable",
        arguments: broken + sourceless)
    func interfaces(_ row: Row) {
        let verdict = PathEvaluation.evaluate(
            row.query, answer: row.answer, link: row.link?.state)
        #expect(verdict.interface == Self.two)
    }

    @Test("the default path is never local or direct, and is all else that its link is", arguments: reachable + waiting)
    func defaultPath(_ row: Row) {
        let verdict = PathEvaluation.evaluate(
            row.query, answer: row.answer, link: row.link?.state)
        let path = PathEvaluation.asDefaultPath(verdict)
        #expect(path.flags.rawValue == row.flags & ~0x30000)
        #expect(path.reason == row.reason)
        #expect(path.interface == verdict.interface)
    }

    @Test("a link serves a socket that is bound to it, or to what it is a port of, and no other")
    func boundSockets() {
        func reason(boundTo interface: InterfaceIndex, scope: InterfaceIndex?, _ link: LinkFacts) -> Reason {
            let query = RouteQuery(
                destination: IPAddress(text: "fe80::5"), interface: scope, boundInterface: interface)
            return PathEvaluation.evaluate(query, answer: Self.onLink, link: link.state).reason
        }
        #expect(reason(boundTo: Self.two, scope: Self.two, Self.ethernet) == .onLink)
        #expect(reason(boundTo: Self.three, scope: Self.two, Self.ethernet) == .refused(.leavesElsewhere(Self.two)))
        #expect(reason(boundTo: Self.three, scope: Self.two, Self.link { $0.master = Self.three }) == .onLink)
    }

    @Test("a flag without a meaning on Linux is never set", arguments: reachable + waiting + broken)
    func neverSet(_ row: Row) {
        let verdict = PathEvaluation.evaluate(
            row.query, answer: row.answer, link: row.link?.state)
        #expect(verdict.flags.isDisjoint(with: [.interventionRequired, .connectionOnDemand]))
    }

    @Test("the best of several answers has the highest rank, and of equal ones comes first")
    func best() {
        func best(of flags: UInt32...) -> Int? {
            PathEvaluation.best(of: flags.map(ReachabilityFlags.init(rawValue:)))
        }
        #expect(PathEvaluation.best(of: []) == nil)
        #expect(best(of: 0, 0) == nil)
        #expect(best(of: 0, 0x6, 0x2, 0x30002) == 2)
        #expect(best(of: 0x40003, 0x30002) == 0)
        #expect(best(of: 0, 0xF, 0x6) == 1)
        #expect(best(of: 0x1, 0x4, 0x2) == 2)
    }
}
