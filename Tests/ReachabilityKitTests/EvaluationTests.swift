// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// The verdicts that follow from an answer and a link: the table of the documentation, row by row.
@Suite("The evaluation of a path")
struct EvaluationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let query: RouteQuery
        let answer: RouteAnswer
        let link: LinkFacts?
        let flags: UInt32
        let reason: Reason

        /// A fact, the answer about a destination and the link by which it leads, and what follows.
        init(
            _ fact: String, to destination: IPAddress = .v4(IPv4Address(192, 0, 2, 1)), _ answer: RouteAnswer,
            by link: LinkFacts? = nil, scope: InterfaceIndex? = nil, _ flags: UInt32, _ reason: Reason
        ) {
            testDescription = fact
            query = RouteQuery(destination: destination, interface: scope)
            (self.answer, self.link, self.flags, self.reason) = (answer, link, flags, reason)
        }

        var verdict: Verdict { PathEvaluation.evaluate(query, answer: answer, link: link?.state) }
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
        Row("an own address", route(.local), by: loopback, 0x30002, .thisMachine),
        Row("an own address, no link looked at", route(.local), 0x30002, .thisMachine),
        Row("an own address on a link that is off", route(.local), by: link { $0.flags = [] }, 0x30002, .thisMachine),
        Row("a route out of lo", onLink, by: loopback, 0x30002, .thisMachine),
        Row("anycast", route(.anycast), by: loopback, 0x30002, .thisMachine),
        Row("a neighbour", onLink, by: ethernet, 0x20002, .onLink),
        Row("a neighbour, link state unknown", onLink, by: link { $0.operationalState = .unknown }, 0x20002, .onLink),
        Row("broadcast", route(.broadcast), by: ethernet, 0x20002, .onLink),
        Row("multicast", route(.multicast), by: ethernet, 0x20002, .onLink),
        Row("a gateway", routed, by: ethernet, 0x2, .throughGateway),
        Row("an IPv6 gateway for IPv4", viaIPv6, by: ethernet, 0x2, .throughGateway),
        Row("a tunnel", onLink, by: tunnel, 0x3, .overPointToPoint),
        Row("a tunnel with a gateway", routed, by: tunnel, 0x3, .overPointToPoint),
        Row("a modem of raw IP", onLink, by: modem, 0x40003, .overPointToPoint),
        Row("a modem like Ethernet", routed, by: usbModem, 0x40003, .overPointToPoint),
        Row("169.254/16 through a gateway on Ethernet", to: linkLocal, routed, by: ethernet, 0x20002, .onLink),
        Row("169.254/16 through a tunnel", to: linkLocal, routed, by: tunnel, 0x3, .overPointToPoint),
        Row(
            "169.254/16 through a gateway on an odd link", to: linkLocal, routed, by: link { $0.hardwareType = 32 },
            0x2, .throughGateway),
        Row("bound to the link it leaves by", routed, by: ethernet, scope: two, 0x2, .throughGateway),
        Row(
            "bound to the VRF of the link it leaves by", routed, by: link { $0.master = three }, scope: three, 0x2,
            .throughGateway),
    ]

    static let waiting: [Row] = [
        Row("dormant, a gateway", routed, by: dormant(ethernet), 0x6, .dormantLink),
        Row("dormant, a neighbour", onLink, by: dormant(ethernet), 0x20006, .dormantLink),
        Row("a dormant dial-up", onLink, by: dormant(tunnel), 0xF, .dormantLink),
        Row("a dormant dial-up, a gateway", routed, by: dormant(tunnel), 0xF, .dormantLink),
        Row("a dormant modem", onLink, by: dormant(modem), 0x4000F, .dormantLink),
        Row("a dormant USB modem", routed, by: dormant(usbModem), 0x4000F, .dormantLink),
    ]

    static let broken: [Row] =
        [LinkFacts.OperationalState.down, .lowerLayerDown, .notPresent, .testing].map { state in
            Row("up, but \(state)", routed, by: link { $0.operationalState = state }, 0, .linkBroken(state))
        } + [
            Row("switched off", onLink, by: link { $0.flags = [.lowerUp] }, 0, .linkDisabled),
            Row("a dormant link switched off", onLink, by: dormant(link { $0.flags = [] }), 0, .linkDisabled),
            Row(
                "a tunnel without a reader", onLink,
                by: link { ($0.hardwareType, $0.operationalState) = (65534, .down) }, 0, .linkBroken(.down)),
            Row("the link has gone", routed, 0, .linkGone),
            Row("bound to another link", routed, by: ethernet, scope: three, 0, .refused(.leavesElsewhere(two))),
        ]

    static let sourceless: [Row] = [
        Row("no address to send from", route(.unicast, from: nil), by: ethernet, 0, .noSourceAddress),
        Row("0.0.0.0 to send from", route(.unicast, via: gateway, from: .v4(.any)), by: ethernet, 0, .noSourceAddress),
        Row("::1 to send from", route(.unicast, via: gateway, from: .v6(.loopback)), by: tunnel, 0, .noSourceAddress),
        Row("a broadcast from nowhere", route(.broadcast, from: nil), by: ethernet, 0, .noSourceAddress),
    ]

    static let sourcelessAndMore: [Row] = [
        Row("a link-local address to send from", route(.unicast, from: linkLocal), by: ethernet, 0x20002, .onLink),
        Row("no address for an own address", route(.local, from: nil), by: ethernet, 0x30002, .thisMachine),
        Row("no address behind lo", route(.unicast, from: nil), by: loopback, 0x30002, .thisMachine),
        // An address comes once the link has what it waits for.
        Row(
            "no address yet on a dormant link", route(.unicast, from: nil), by: dormant(ethernet), 0x20006, .dormantLink
        ),
        Row(
            "no address on a link that is off", route(.unicast, from: nil), by: link { $0.flags = [] }, 0, .linkDisabled
        ),
    ]

    static let needsInterface: [Row] = [
        Row(
            "fe80::5 that names no interface", to: IPAddress(text: "fe80::5"), onLink, by: ethernet, 0,
            .interfaceNotNamed),
        Row(
            "ff02::1 that names no interface", to: IPAddress(text: "ff02::1"), onLink, by: ethernet, 0,
            .interfaceNotNamed),
        Row(
            "fe80::5 on its interface", to: IPAddress(text: "fe80::5"), onLink, by: ethernet, scope: two, 0x20002,
            .onLink),
    ]

    static let refusals: [Row] =
        [RouteRefusal.noRoute, .unreachable, .prohibited, .blackhole, .familyUnsupported, .noRouteOnInterface]
        .map { Row("\($0)", .unreachable($0), by: ethernet, 0, .refused($0)) }

    @Test(
        arguments: [reachable, waiting, broken, sourceless, sourcelessAndMore, needsInterface, refusals].flatMap { $0 })
    func `gives each fact its flags and its reason`(_ row: Row) {
        #expect(row.verdict.flags.rawValue == row.flags)
        #expect(row.verdict.reason == row.reason)
    }

    @Test(arguments: broken + sourceless)
    func `a verdict names the link it speaks of, also where that is why it is unreachable`(_ row: Row) {
        #expect(row.verdict.interface == Self.two)
    }

    @Test(arguments: reachable + waiting)
    func `the default path is never local or direct, and is all else that its link is`(_ row: Row) {
        let path = PathEvaluation.asDefaultPath(row.verdict)
        #expect(path.flags.rawValue == row.flags & ~0x30000)
        #expect(path.reason == row.reason)
        #expect(path.interface == row.verdict.interface)
    }

    @Test func `a link serves a socket that is bound to it, or to what it is a port of, and no other`() {
        func reason(boundTo interface: InterfaceIndex, scope: InterfaceIndex?, _ link: LinkFacts) -> Reason {
            let query = RouteQuery(
                destination: IPAddress(text: "fe80::5"), interface: scope, boundInterface: interface)
            return PathEvaluation.evaluate(query, answer: Self.onLink, link: link.state).reason
        }
        #expect(reason(boundTo: Self.two, scope: Self.two, Self.ethernet) == .onLink)
        #expect(reason(boundTo: Self.three, scope: Self.two, Self.ethernet) == .refused(.leavesElsewhere(Self.two)))
        #expect(reason(boundTo: Self.three, scope: Self.two, Self.link { $0.master = Self.three }) == .onLink)
    }

    @Test func `the best of several answers has the highest rank, and of equal ones comes first`() {
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
