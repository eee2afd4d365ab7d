// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite struct NetlinkRequesterTests {
    private typealias Script = ScriptedTransport
    private static let query = RouteQuery(destination: .v4(IPv4Address(198, 51, 100, 9)))
    private static let answer = RecordedAnswers.plain4

    private func scripted(
        _ answer: @escaping (_ attempt: Int, _ requests: [Script.Request]) throws(Errno) -> [Script.Step]
    ) -> NetlinkRequester {
        NetlinkRequester(transport: Script(answer))
    }

    private static func interface(_ answer: RouteAnswer) -> UInt32? {
        if case .route(let decision) = answer { decision.interface?.rawValue } else { nil }
    }

    @Test("an answer with another sequence number or port is dropped and counted, and so is a second answer")
    func strays() throws {
        let requester = scripted { (_, requests) in
            var late = Script.refusal(.networkUnreachable, requests[0])
            late.replace(at: 8, with: requests[0].sequence &- 1)
            var early = late
            early.replace(at: 8, with: requests[0].sequence &+ 1)
            let others = Script.stamped(Self.answer, requests[0], port: 7)
            let own = Script.stamped(Self.answer, requests[0])
            return [.datagram(late), .datagram(early), .datagram(others), .datagram(own + own)]
        }
        #expect(Self.interface(try requester.plainRoute(Self.query)) == 3)
        #expect(requester.counters.strays == 4)
    }

    @Test func `an answer too large for its slot is requested again, with the whole buffer`() throws {
        // Next hops (RTA_MULTIPATH) that make it larger than a slot of a batch and smaller than the buffer.
        let large = Self.answer + [UInt8].attribute(9, [UInt8](repeating: 0, count: 2000))
        let transport = Script { (attempt, requests) in
            requests.enumerated().map { position, request in
                var message = Script.stamped(position == requests.count - 1 ? large : Self.answer, request)
                message.replace(at: 0, with: UInt32(message.count))
                return .datagram(message)
            }
        }
        let requester = NetlinkRequester(transport: transport)
        let queries = [RouteQuery](repeating: Self.query, count: NetlinkRequester.routesInDatagram)
        var interfaces: [UInt32?] = []
        try requester.plainRoutes(queries) { interfaces.append(Self.interface($1)) }
        #expect(interfaces == [UInt32?](repeating: 3, count: NetlinkRequester.routesInDatagram))
        #expect(requester.counters.truncations == 1)
        #expect(transport.sent.map(\.count) == [NetlinkRequester.routesInDatagram, 1])
    }

    @Test func `a datagram larger than the buffer is counted, and its answer requested again`() throws {
        let requester = scripted { (attempt, requests) in
            attempt == 1 ? [.cutOff(length: 1 << 20)] : [.datagram(Script.stamped(Self.answer, requests[0]))]
        }
        #expect(Self.interface(try requester.plainRoute(Self.query)) == 3)
        #expect(requester.counters.truncations == 1)
    }

    @Test(
        "a full queue is counted, emptied, and asked again for what it lost, with what it still had",
        arguments: 0...2)
    func overrun(before: Int) throws {
        let transport = Script { (attempt, requests) in
            let answer = Script.Step.datagram(Script.stamped(Self.answer, requests[0]))
            // Nothing that is queued after a loss counts, because the kernel may lose more silently.
            let other = Script.Step.datagram(.message(type: 16, sequence: 0, port: 0, []))
            let lost = [other, other][..<before] + [.error(.noBufferSpace), other, .error(.noBufferSpace), answer]
            return attempt == 1 ? Array(lost) : [answer]
        }
        let requester = NetlinkRequester(transport: transport)
        #expect(Self.interface(try requester.plainRoute(Self.query)) == 3)
        #expect(requester.counters.overruns == 1)
        #expect(requester.linkGeneration == before + 1)
        #expect(requester.ruleGeneration == 1)
        #expect(transport.sent.count == 2)
    }

    /// gVisor and a kernel without IPv6 say so where they have no route, and some kernels to every question.
    @Test(arguments: [
        (["7f000001"], "192.0.2.1", RouteAnswer.unreachable(.noRoute) as RouteAnswer?),
        (["7f000001", "00000000000000000000000000000001"], "2001:db8::1", .unreachable(.noRoute)),
        (["7f000001"], "2001:db8::1", .unreachable(.familyUnsupported)), ([], "192.0.2.1", nil),
        ([], "2001:db8::1", nil),
    ])
    func `EOPNOTSUPP means what it means for the loopback address`(
        answered: [String], target: String, meaning: RouteAnswer?
    ) throws {
        let requester = scripted { (_, requests) in
            requests.map { request in
                // The destination is the first attribute, behind struct rtmsg.
                let asked = Array(request.payload[16...].prefix(Int(request.payload[12]) - 4))
                let route = asked.count == 4 ? Self.answer : RecordedAnswers.plain6
                return .datagram(
                    answered.map(hex).contains(asked)
                        ? Script.stamped(route, request) : Script.refusal(.notSupported, request))
            }
        }
        let query = RouteQuery(destination: IPAddress(text: target))
        var replies: [RouteReply] = []
        if let meaning {
            try requester.routes([query], into: &replies)
            #expect(try replies[0].answer(to: query) == meaning)
        } else {
            #expect(throws: NetlinkError.refused(.notSupported)) { try requester.routes([query], into: &replies) }
        }
    }

    @Test func `announcements of rules, of added and of deleted ones, raise the rule generation`() throws {
        let requester = scripted { (_, requests) in
            [16, 32, 33].map { .datagram(.message(type: $0, sequence: 0, port: 0, [])) }
                + requests.map { .datagram(Script.stamped(Self.answer, $0)) }
        }
        #expect(Self.interface(try requester.plainRoute(Self.query)) == 3)
        #expect(requester.ruleGeneration == 2)
        #expect(requester.linkGeneration == 3)
    }

    @Test("announcements before and after answers raise the link generation, at the latest with the next question")
    func announcements() throws {
        let announcement = Script.Step.datagram(.message(type: 16, sequence: 0, port: 0, []))
        let requester = scripted { (_, requests) in
            let answers = requests.map { Script.Step.datagram(Script.stamped(Self.answer, $0)) }
            return [announcement, answers[0], announcement] + answers.dropFirst() + [announcement]
        }
        #expect(requester.linkGeneration == 0)
        try requester.plainRoutes([Self.query, Self.query]) { _, answer in #expect(Self.interface(answer) == 3) }
        #expect(requester.linkGeneration == 2)
        try requester.plainRoutes([Self.query]) { _, answer in #expect(Self.interface(answer) == 3) }
        #expect(requester.linkGeneration == 4)
    }

    @Test func `only the lost answers of a batch are requested again, under new numbers`() throws {
        let transport = Script { (attempt, requests) in
            requests.enumerated().filter { attempt > 1 || $0.offset != 1 }.map {
                .datagram(Script.stamped(Self.answer, $0.element))
            }
        }
        let requester = NetlinkRequester(transport: transport)
        var interfaces: [UInt32?] = [nil, nil, nil]
        try requester.plainRoutes([Self.query, Self.query, Self.query]) { interfaces[$0] = Self.interface($1) }
        #expect(interfaces == [3, 3, 3])
        #expect(transport.sent.map(\.count) == [3, 1])
        #expect(transport.sent[1][0].sequence > transport.sent[0][2].sequence)
    }

    @Test func `answers that stay lost are an error after a few attempts`() {
        let transport = Script { (_, _) in [] }
        let requester = NetlinkRequester(transport: transport)
        #expect(throws: NetlinkError.answersLost) { try requester.plainRoute(Self.query) }
        #expect(transport.sent.count == 4)
    }

    @Test func `a failed send or receive is an error that names the operation`() {
        let sending = scripted { (_, _) throws(Errno) in throw .notPermitted }
        #expect(throws: NetlinkError.system(.send, .notPermitted)) { try sending.plainRoute(Self.query) }
        let receiving = scripted { (_, _) in [.error(.badMessage)] }
        #expect(throws: NetlinkError.system(.receive, .badMessage)) { try receiving.plainRoute(Self.query) }
    }

    @Test func `a refusal that says nothing about reachability is an error`() {
        let requester = scripted { (_, requests) in [.datagram(Script.refusal(.outOfMemory, requests[0]))] }
        #expect(throws: NetlinkError.refused(.outOfMemory)) { try requester.plainRoute(Self.query) }
    }

    @Test(arguments: [(8, false), (4000, true)])
    func `a message with an impossible length is malformed at its offset`(length: UInt32, isTruncated: Bool) {
        let requester = scripted { (_, requests) in
            var second = Script.stamped(Self.answer, requests[0])
            second.replace(at: 0, with: length)
            let first: [UInt8] = .message(type: 1, sequence: 0, port: 0, [])
            return [.datagram(first + second)]
        }
        let error = #expect(throws: NetlinkError.self) { try requester.plainRoute(Self.query) }
        guard case .malformed(let wire) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(wire.offset == 16)
        #expect(wire.problem == (isTruncated ? .truncated : .impossibleLength))
    }

    @Test func `a malformed message beside an answer does not spoil it`() throws {
        let requester = scripted { (_, requests) in
            let answer = Script.Step.datagram(Script.stamped(Self.answer, requests[0]))
            return [.datagram([1, 2, 3]), .datagram([UInt8](repeating: 1, count: 40)), answer]
        }
        #expect(Self.interface(try requester.plainRoute(Self.query)) == 3)
        #expect(requester.linkGeneration == 2)
    }

    // MARK: - Dumps

    private func dump(_ requester: NetlinkRequester) throws -> [UInt16] {
        var types: [UInt16] = []
        try requester.dump(
            write: { (sequence, message) in
                message.begin(type: 18, flags: 0x300, sequence: sequence)
                message.finish()
            }, restart: { types = [] }, read: { (type, _) in types.append(type) })
        return types
    }

    @Test func `a dump passes every message up to its end`() throws {
        let requester = scripted { (_, requests) in
            let part = Script.stamped(.message(type: 16, flags: 2, []), requests[0])
            return [.datagram(part + part), .datagram(part), .datagram(Script.done(requests[0]))]
        }
        #expect(try dump(requester) == [16, 16, 16])
    }

    /// A program that adds and deletes rules without a pause interrupts several dumps in a row.
    @Test(arguments: [false, true], [1, 8])
    func `a dump that changed while it was read starts over`(saidAtTheEnd: Bool, times: Int) throws {
        let transport = Script { (attempt, requests) in
            let interrupted: UInt16 = attempt <= times ? 0x10 : 0
            let part: [UInt8] = .message(type: 16, flags: saidAtTheEnd ? 2 : 2 | interrupted, [])
            return [
                .datagram(Script.stamped(part, requests[0])),
                .datagram(Script.done(requests[0], flags: saidAtTheEnd ? 2 | interrupted : 2)),
            ]
        }
        let requester = NetlinkRequester(transport: transport)
        #expect(try dump(requester) == [16])
        #expect(transport.sent.count == times + 1)
    }

    /// The kernel begins no dump for a socket whose queue is full, as it is while rules change without a pause.
    @Test func `a dump for which there was no room is requested again when the queue is empty`() throws {
        let transport = Script { (attempt, requests) in
            let part = Script.stamped(.message(type: 16, flags: 2, []), requests[0])
            return attempt == 1
                ? [.datagram(Script.refusal(.noBufferSpace, requests[0])), .datagram(.message(type: 32, []))]
                : [.datagram(part), .datagram(Script.done(requests[0]))]
        }
        let requester = NetlinkRequester(transport: transport)
        #expect(try dump(requester) == [16])
        #expect(requester.counters.ruleAnnouncements == 1)
    }

    @Test func `a dump that is refused or never ends is an error`() {
        let refused = scripted { (_, requests) in [.datagram(Script.refusal(.notSupported, requests[0]))] }
        #expect(throws: NetlinkError.refused(.notSupported)) { try dump(refused) }
        let endless = scripted { (_, requests) in
            [.datagram(Script.stamped(.message(type: 16, flags: 2, []), requests[0]))]
        }
        #expect(throws: NetlinkError.answersLost) { try dump(endless) }
    }
}

@Suite("Messages to a requester's socket", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ForgeryTests {
    @Test func `the kernel refuses what another socket sends to it, and delivers its own`() throws {
        let topology = try Machine()
        try topology.run {
            let transport = try NetlinkSocket(asks: true)
            let message: [UInt8] = Array("forged message".utf8)
            let sent = unsafe message.withUnsafeBytes { bytes in
                unsafe topology_forge_netlink(transport.port, 0, bytes.baseAddress, bytes.count, 1)
            }
            #expect(sent == -ECONNREFUSED)
            let requester = NetlinkRequester(transport: transport)
            #expect(try requester.linkIndex(of: "lo")?.rawValue == 1)
        }
    }

    @Test func `a message of root to the link group counts as a change of links, and is no answer`() throws {
        let topology = try Machine()
        try topology.run {
            let requester = try NetlinkRequester()
            let loopback = try #require(InterfaceIndex(1))
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.linkGeneration == 0)
            // The messages look like the kernel's, except for the sequence number.
            let sent = unsafe Change.link(loopback, up: false).withBytes { bytes in
                unsafe topology_forge_netlink(0, 1, bytes.baseAddress, bytes.count, 3)
            }
            #expect(sent == 3)
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.linkGeneration == 3 && requester.counters.strays == 3)
            // Bytes that are no message, as many as the queue holds.
            let garbage = [UInt8](repeating: 0xFF, count: 100)
            let garbageSent = unsafe garbage.withUnsafeBytes { bytes in
                unsafe topology_forge_netlink(0, 1, bytes.baseAddress, bytes.count, 10_000)
            }
            #expect(garbageSent > 100)
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.counters.overruns == 1)
        }
    }
}
