// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@Suite("A topology's links", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LinkTests {
    private let near = IPAddress.v4(IPv4Address(10, 0, 0, 2))
    private let far = IPAddress.v4(IPv4Address(192, 0, 2, 1))

    @Test("a wire is up at both ends and its addresses are usable at once")
    func wire() throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        #expect(try topology.link("eth0")?.readiness == .ready)
        #expect(try topology.link("eth0-peer")?.readiness == .ready)
        #expect(try topology.link("eth0")?.kind == "veth")
        let near = near
        let answer = try topology.run { try NetlinkRequester().route(RouteQuery(destination: near)) }
        guard case .route(let decision) = answer else {
            Issue.record("no route")
            return
        }
        #expect(decision.source == .v4(IPv4Address(10, 0, 0, 1)))
        #expect(try !topology.ip("-6 address show dev eth0 to fd00::1").contains("tentative"))
    }

    @Test("a wire's other end lies in the topology asked for")
    func wireBetween() throws {
        let left = try Topology()
        let right = try Topology()
        try left.wire("eth0", address: "10.0.0.1/24", peer: "eth0", peerAddress: "10.0.0.2/24", in: right)
        #expect(try right.link("eth0")?.operationalState == .up)
        try right.ip("link set eth0 down")
        #expect(try left.waitForLink("eth0") { $0.readiness != .ready }.flags.contains(.up))
    }

    @Test("an interface index above 65,535 can be chosen")
    func largeIndex() throws {
        let topology = try Topology()
        try topology.wire("eth0", index: 70000)
        #expect(try topology.index(of: "eth0").rawValue == 70000)
    }

    @Test("a bridge has the carrier of its ports")
    func bridge() throws {
        let topology = try Topology()
        try topology.wire("port")
        try topology.bridge("br0", address: "10.0.0.1/24", ports: ["port"])
        let bridge = try topology.waitForLink("br0", .up)
        #expect(bridge.kind == "bridge")
        #expect(try topology.link("port")?.master == bridge.index)
        try topology.ip("link set port nomaster")
        try topology.waitForLink("br0", .down)
    }

    @Test(
        "a link can be put into any state a driver may report",
        arguments: [LinkFacts.OperationalState.dormant, .testing])
    func operationalState(_ state: LinkFacts.OperationalState) throws {
        let topology = try Topology()
        try topology.wire("eth0")
        try topology.setOperationalState(state, of: "eth0")
        #expect(try topology.link("eth0")?.operationalState == state)
        try topology.setOperationalState(.up, of: "eth0")
        #expect(try topology.link("eth0")?.readiness == .ready)
    }

    @Test("what does not come is told with what was seen last")
    func timeout() throws {
        let topology = try Topology()
        let error = try #require(throws: TopologyError.self) {
            try topology.waitForLink("lo", timeout: .milliseconds(1)) { !$0.isLoopback }
        }
        #expect("\(error)".contains("name: \"lo\""))
    }

    @Test("a change made while a wait blocks ends it")
    func wakesUp() async throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        let changer = try Changer(in: topology)
        let index = try topology.index(of: "eth0")
        async let answer = topology.waitForRoute(to: far) { if case .route = $0 { true } else { false } }
        try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.2", through: index))
        #expect(try await answer != .unreachable(.noRoute))
    }
}

@Suite("A tun device", .timeLimit(.minutes(10)), .needs(.namespaces, .tun))
struct TunTests {
    @Test(
        "has the type of the link it stands for",
        arguments: zip([Topology.TunKind.tunnel, .ppp, .rawIP, .frames], [65534, 512, 519, 1] as [UInt16]))
    func types(_ kind: Topology.TunKind, _ type: UInt16) throws {
        let topology = try Topology()
        let device = try topology.tun("link0", kind, address: "10.0.0.1/24")
        let facts = try #require(try topology.link("link0"))
        #expect(facts.hardwareType == type)
        #expect(facts.isPointToPoint == (type != 1))
        #expect(facts.isCellular == (type == 519))
        device.close()
    }

    @Test("loses and regains its carrier")
    func carrier() throws {
        let topology = try Topology()
        let device = try topology.tun("tun0", address: "10.0.0.1/24")
        try topology.waitForLink("tun0") { $0.readiness == .ready }
        try device.setCarrier(false)
        #expect(try topology.waitForLink("tun0", .down).flags.contains(.up))
        try device.setCarrier(true)
        try topology.waitForLink("tun0", .up)
    }

    @Test("can begin without a carrier")
    func beginsWithoutCarrier() throws {
        let topology = try Topology()
        let device = try topology.tun("tun0", carrier: false)
        try topology.waitForLink("tun0", .down)
        try device.setCarrier(true)
        try topology.waitForLink("tun0", .up)
    }

    @Test("vanishes when it is closed")
    func closes() throws {
        let topology = try Topology()
        let device = try topology.tun("tun0")
        device.close()
        try topology.waitForNoLink("tun0")
        #expect(throws: TopologyError.self) { try device.setCarrier(true) }
    }
}
