// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@Suite("The words of an explanation")
struct ExplanationTests {
    private static let two = InterfaceIndex(2)!
    private let text = ExplanationText { $0 == two ? "eth0" : "interface \($0.rawValue)" }
    private let gateway = IPAddress.v4(IPv4Address(10, 0, 0, 254))
    private let target = IPAddress.v4(IPv4Address(192, 0, 2, 1))

    private func lookupRecord(
        _ purpose: LookupRecord.Purpose = .target, query: RouteQuery? = nil, answer: RouteAnswer, link: LinkFacts? = nil
    ) -> LookupRecord {
        let verdict = PathEvaluation.evaluate(RouteQuery(destination: target), answer: answer, link: link?.state)
        return LookupRecord(
            purpose: purpose, query: query ?? RouteQuery(destination: target), answer: answer, link: link,
            verdict: verdict)
    }

    @Test func `name every key of the question`() {
        let query = RouteQuery(destination: target, source: gateway, interface: Self.two, mark: 0x2A, userID: 1000)
        var lookupRecord = lookupRecord(query: query, answer: .unreachable(.noRoute))
        lookupRecord.given = RoutingKeys(interface: .index(Self.two), mark: 0x2A, userID: 1000)
        let step = text.steps(for: lookupRecord)[0]
        #expect(step.subject == "asked")
        #expect(step.text == "the route to 192.0.2.1, from 10.0.0.254, bound to eth0, with mark 0x2a, as user 1000")
    }

    @Test func `say which keys come from the control group`() {
        let query = RouteQuery(destination: target, interface: Self.two, boundInterface: Self.two, mark: 0x2A)
        let step = text.steps(for: lookupRecord(query: query, answer: .unreachable(.noRoute)))[0]
        #expect(
            step.text == """
                the route to 192.0.2.1, bound to eth0 (set for every new socket by the control group), with mark 0x2a \
                (set for every new socket by the control group)
                """)
    }

    @Test func `say what was asked for`() {
        func asked(_ purpose: LookupRecord.Purpose) -> String {
            text.steps(for: lookupRecord(purpose, answer: .unreachable(.noRoute)))[0].text
        }
        #expect(asked(.ownership) == "whether 192.0.2.1 is an address of this machine")
        #expect(asked(.defaultPath) == "the default route of IPv4, by the route to 192.0.2.1")
    }

    @Test func `name everything that is known of a route`() {
        var decision = RouteDecision(
            kind: .unicast, interface: Self.two, gateway: gateway,
            source: .v4(IPv4Address(10, 0, 0, 1)), table: 1000, metric: 42)
        decision.match?.prefix = .all(.v4)
        decision.match?.nextHopID = 7
        let step = text.steps(for: lookupRecord(answer: .route(decision)))[1]
        #expect(
            step.text
                == "default, table 1000, metric 42, next-hop object 7, via 10.0.0.254, leaves by eth0, source 10.0.0.1")
    }

    @Test(arguments: [(253, "default"), (254, "main"), (255, "local"), (7, "7")])
    func `give well-known tables their names`(_ number: UInt32, _ name: String) {
        let steps = text.steps(for: lookupRecord(answer: .route(RouteDecision(kind: .unicast, table: number))))
        #expect(steps[1].text == "table \(name), no gateway")
    }

    @Test(arguments: [
        RouteRefusal.noRoute, .unreachable, .prohibited, .blackhole, .familyUnsupported, .noRouteOnInterface,
    ])
    func `tell a refusal by its cause`(_ refusal: RouteRefusal) throws {
        let lookupRecord = lookupRecord(answer: .unreachable(refusal))
        #expect(text.steps(for: lookupRecord)[1].text == "none: \(refusal)")
        let flags = text.flagSteps(for: try #require(lookupRecord.verdict), lookupRecord)
        #expect(flags.map(\.text) == ["Not Reachable: \(refusal)"])
    }

    @Test(arguments: LinkFacts.OperationalState.allCases)
    func `describe a link with its state`(_ state: LinkFacts.OperationalState) {
        let link = LinkFacts(index: Self.two, name: "eth0", operationalState: state, master: InterfaceIndex(9))
        let step = text.steps(for: lookupRecord(answer: .route(RouteDecision(kind: .unicast)), link: link))[2]
        #expect(step.text.hasPrefix("eth0 (number 2), Ethernet, port of interface 9, up, operational state "))
    }

    @Test func `give a reason for each flag, in Apple's order`() throws {
        let link = LinkFacts(index: Self.two, name: "wwan0", hardwareType: 519, operationalState: .dormant)
        let lookupRecord = lookupRecord(answer: .route(RouteDecision(kind: .unicast, interface: Self.two)), link: link)
        let steps = text.flagSteps(for: try #require(lookupRecord.verdict), lookupRecord)
        #expect(
            steps.map { String($0.text.prefix { $0 != ":" }) } == [
                "Reachable", "Transient Connection", "Connection Required", "Automatic Connection On Traffic", "WWAN",
            ])
        #expect(steps.allSatisfy { $0.subject == "flag" && $0.text.contains(": ") })
    }

    @Test func `stand below the target in columns`() {
        let explanation = Explanation(
            target: "192.0.2.1", flags: .reachable, lookupMethod: .netlink, reason: .onLink,
            steps: [.init("asked", "a"), .init("up", "b")])
        #expect(explanation.description == "192.0.2.1: Reachable\n  asked  a\n  up     b")
    }

    @Test func `of every reason differ, so that each tells something`() {
        let reasons: [Reason] = [
            .thisMachine, .onLink, .throughGateway, .overPointToPoint, .dormantLink, .linkDisabled, .linkBroken(.down),
            .linkBroken(.lowerLayerDown), .linkBroken(.notPresent), .linkBroken(.testing), .linkGone, .notOurAddress,
            .familiesDiffer, .refused(.noRoute), .refused(.prohibited), .refused(.leavesElsewhere(Self.two)),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
    }
}
