// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite struct CodecTests {
    private typealias Script = ScriptedTransport

    /// A requester whose nth request in each datagram gets the nth recorded answer.
    private func requester(_ recorded: [UInt8]...) -> NetlinkRequester {
        NetlinkRequester(
            transport: Script { (_, requests) in
                requests.enumerated().map { number, request in
                    .datagram(
                        number < recorded.count
                            ? Script.stamped(recorded[number], request) : Script.refusal(.hostUnreachable, request))
                }
            })
    }

    private func decision(_ answer: RouteAnswer) throws -> RouteDecision {
        let decision: RouteDecision? = if case .route(let decision) = answer { decision } else { nil }
        return try #require(decision)
    }

    @Test func `a question carries its keys, in the layout of struct rtmsg`() throws {
        let transport = Script { (_, _) in [] }
        let query = RouteQuery(
            destination: .v4(IPv4Address(198, 51, 100, 9)), source: .v4(IPv4Address(192, 0, 2, 1)),
            interface: InterfaceIndex(3), mark: 7, userID: 1000)
        _ = try? NetlinkRequester(transport: transport).route(query)
        let request = try #require(transport.sent.first?.first)
        #expect(request.type == 26)
        #expect(request.flags == 1)
        var expected: [UInt8] = [2, 32, 32, 0, 0, 0, 0, 0, 0, 0x10, 0, 0]
        expected += [UInt8].attribute(1, [198, 51, 100, 9]) + [UInt8].attribute(2, [192, 0, 2, 1])
        expected += [UInt8].attribute(4, [3, 0, 0, 0]) + [UInt8].attribute(16, [7, 0, 0, 0])
        expected += [UInt8].attribute(25, [0xE8, 3, 0, 0]) + [UInt8].attribute(27, [6])
        #expect(request.payload == expected)
    }

    @Test func `the question for the match carries the same keys: under a mark another route may match`() throws {
        let transport = Script { (_, _) in [] }
        let query = RouteQuery(
            destination: .v6(.loopback), source: .v6(.loopback), interface: InterfaceIndex(3), mark: 7, userID: 1000)
        _ = try? NetlinkRequester(transport: transport).route(query)
        let requests = try #require(transport.sent.first)
        try #require(requests.count == 2)
        // rtm_flags are the last four of the structure's twelve bytes, and the only difference.
        #expect(requests[0].payload[8..<12] != requests[1].payload[8..<12])
        #expect(requests[0].payload[..<8] == requests[1].payload[..<8])
        #expect(requests[0].payload[12...] == requests[1].payload[12...])
    }

    @Test func `where only the match is refused, the answer to the plain question stands`() throws {
        let query = RouteQuery(destination: .v6(IPv6Address(high: 0x2001_0DB8_0002_0000, low: 5)))
        let requester = NetlinkRequester(
            transport: Script { (_, requests) in
                [
                    .datagram(Script.stamped(RecordedAnswers.plain6, requests[0])),
                    .datagram(Script.refusal(.invalidArgument, requests[1])),
                ]
            })
        #expect(try decision(requester.route(query)).interface == InterfaceIndex(3))
    }

    @Test("an IPv4 answer tells interface, gateway, source and table, its match the prefix, interface and metric")
    func recordedIPv4() throws {
        let query = RouteQuery(destination: .v4(IPv4Address(198, 51, 100, 9)))
        let answer = try requester(RecordedAnswers.plain4, RecordedAnswers.match4).route(query)
        var expected = RouteDecision(
            kind: .unicast, interface: InterfaceIndex(3), gateway: .v4(IPv4Address(192, 0, 2, 2)),
            source: .v4(IPv4Address(192, 0, 2, 1)), table: 254, metric: 7)
        expected.match?.prefix = Prefix(.v4(IPv4Address(198, 51, 100, 0)), length: 24)
        expected.match?.interface = InterfaceIndex(3)
        #expect(answer == .route(expected))
    }

    @Test func `an IPv4 route may have an IPv6 gateway`() throws {
        let query = RouteQuery(destination: .v4(IPv4Address(203, 0, 113, 9)))
        let gateway = try decision(requester(RecordedAnswers.via6).route(query)).gateway
        #expect(gateway == .v6(IPv6Address(high: 0x2001_0DB8_0001_0000, low: 9)))
    }

    @Test func `an IPv6 answer tells when the route it matched expires`() throws {
        let query = RouteQuery(destination: .v6(IPv6Address(high: 0x2001_0DB8_0002_0000, low: 5)))
        let decision = try decision(requester(RecordedAnswers.plain6, RecordedAnswers.match6).route(query))
        #expect(decision.match?.prefix == Prefix(.v6(IPv6Address(high: 0x2001_0DB8_0002_0000, low: 0)), length: 48))
        #expect(decision.metric == 1024)
        // Of 300 seconds, in hundredths.
        #expect(try #require(decision.expiresInTicks) > 29_000)
        #expect(decision.source == .v6(IPv6Address(high: 0x2001_0DB8_0001_0000, low: 1)))
    }

    @Test func `no route is an answer`() throws {
        let query = RouteQuery(destination: .v4(IPv4Address(8, 8, 8, 8)))
        #expect(try requester(RecordedAnswers.noRoute4).route(query) == .unreachable(.noRoute))
    }

    @Test(arguments: [
        (Errno.networkUnreachable, RouteRefusal.noRoute), (.hostUnreachable, .unreachable),
        (.permissionDenied, .prohibited), (.invalidArgument, .blackhole), (.noSuchDevice, .noSuchInterface),
        (.addressFamilyNotSupported, .familyUnsupported), (.notSupported, .familyUnsupported),
    ])
    func `each error that routes make says why`(error: Errno, expected: RouteRefusal) {
        #expect(RouteCodec.refusal(error) == expected)
    }

    @Test func `a link's answer tells its name, state, kind and master`() throws {
        let facts = try #require(try requester(RecordedAnswers.link).link(InterfaceIndex(2)!))
        #expect(facts.name == "v1")
        #expect(facts.operationalState == .up)
        #expect(facts.kind == "veth")
        #expect(facts.master == InterfaceIndex(4))
        #expect(facts.hardwareType == 1)
        #expect(facts.flags.isSuperset(of: [.up, .running, .lowerUp, .broadcast]))
    }

    @Test func `a link that is not there is nil`() throws {
        #expect(try requester(RecordedAnswers.noLink).link(InterfaceIndex(999)!) == nil)
    }

    @Test func `a message of the wireless extensions leaves unknown what it does not carry`() throws {
        // rtnetlink_ifinfo_prep in net/wireless/wext-core.c: IFLA_IFNAME and IFLA_WIRELESS (11).
        var payload: [UInt8] = [0, 0, 1, 0, 5, 0, 0, 0]
        payload.append(little: 0x11043 as UInt32)
        payload.append(little: 0 as UInt32)
        payload += [UInt8].attribute(3, Array("wlan0\0".utf8)) + [UInt8].attribute(11, [1, 2, 3, 4])
        let facts = try payload.withRawSpan { bytes throws(WireError) in try LinkCodec.read(bytes) }
        #expect(facts?.name == "wlan0")
        #expect(facts?.flags.rawValue == 0x11043)
        #expect(facts?.operationalState == .unknown)
        #expect(facts?.kind == nil)
        #expect(facts?.master == nil)
    }

    // MARK: - Malformed bytes

    @Test(
        arguments: [
            (0, WireError.Problem.impossibleLength), (3, .impossibleLength), (13, .truncated), (.max, .truncated),
        ]
            as [(UInt16, WireError.Problem)])
    func `an attribute whose length cannot be is malformed at its place`(length: UInt16, problem: WireError.Problem) {
        var bytes: [UInt8] = .attribute(1, [1, 2, 3, 4]) + .attribute(2, [5, 6, 7, 8, 9, 10, 11, 12])
        bytes.replace(at: 8, with: length)
        var seen: [UInt16] = []
        let error = #expect(throws: WireError.self) {
            try bytes.withRawSpan { span throws(WireError) in
                try WireReader.forEachAttribute(in: span) { (type, _) in seen.append(type) }
            }
        }
        #expect(error?.offset == 8)
        #expect(error?.problem == problem)
        #expect(seen == [1])
    }

    @Test func `an attribute's type comes without its nesting and byte-order bits, and padding is skipped`() throws {
        let bytes: [UInt8] = .attribute(0x8001, [1]) + .attribute(0x4002, [1, 2]) + .attribute(3, [])
        var seen: [UInt16] = []
        var sizes: [Int] = []
        for padding in [[], [0, 0]] as [[UInt8]] {
            try (bytes + padding).withRawSpan { span throws(WireError) in
                try WireReader.forEachAttribute(in: span) { (type, value) in
                    seen.append(type)
                    sizes.append(value.byteCount)
                }
            }
        }
        #expect(seen == [1, 2, 3, 1, 2, 3])
        #expect(sizes == [1, 2, 0, 1, 2, 0])
    }
}
