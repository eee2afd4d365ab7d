// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import Testing

/// Single lookups, with a scripted server.
@Suite(.timeLimit(.minutes(10)))
struct ResolvingTests {
    let fixture = ResolverFixture()
    let started = Started()

    private static let one4 = NameServer.Answer.answer([.address("a.test", v4("192.0.2.1"))])
    private static let one6 = NameServer.Answer.answer([.address("a.test", v6("2001:db8::1"))])
    private static let none = NameServer.Answer.answer([])

    /// Knows an IPv4 address, and holds back an IPv6 address.
    private static let holdsIPv6: NameServer.Script = { question in
        question.isA ? .answer([.address("a.test", v4("192.0.2.1"))]) : .held([.address("a.test", v6("2001:db8::1"))])
    }

    /// Resolves a name with a scripted server, and returns what the server was asked.
    func resolve(
        _ script: @escaping NameServer.Script
    ) -> (resolution: Resolution, questions: [NameServer.Question]) {
        let server = started.server(script)
        return (Resolver(fixture.environment([server])).all("a.test"), server.questions)
    }

    @Test(
        "the answers for both families make the outcome",
        arguments: [
            (one4, none, ResolutionOutcome.addresses, ["192.0.2.1"], true),
            (none, one6, .addresses, ["2001:db8::1"], true), (none, none, .noData, [], true),
            (.fail(rcode: 3), .fail(rcode: 3), .noSuchName, [], true),
            (one4, .fail(rcode: 2), .addresses, ["192.0.2.1"], false),
        ])
    func outcomes(
        four: NameServer.Answer, six: NameServer.Answer, outcome: ResolutionOutcome,
        addresses: [String], isComplete: Bool
    ) {
        let (found, questions) = resolve { $0.isA ? four : six }
        #expect(found.outcome == outcome && found.isComplete == isComplete)
        #expect(found.addresses.map(\.description) == addresses)
        #expect(found.origin == .dns)
        // One for each family, unless one is repeated.
        #expect(questions.count == 2 || !isComplete)
    }

    @Test func `both families, in stable order whatever the order of the answer`() {
        let (found, _) = resolve { question in
            question.isA
                ? .answer(["192.0.2.9", "192.0.2.1", "192.0.2.9"].map { .address("a.test", v4($0)) })
                : .answer(["2001:db8::2", "2001:db8::1"].map { .address("a.test", v6($0)) })
        }
        #expect(found.addresses == [v6("2001:db8::1"), v6("2001:db8::2"), v4("192.0.2.1"), v4("192.0.2.9")])
    }

    @Test func `a silent server, until the last attempt`() throws {
        let server = started.server { _ in .silence }
        var environment = fixture.environment([server])
        environment.attemptTimeout = .milliseconds(10)
        environment.attempts = 2
        let found = Resolver(environment).all("a.test")
        guard case .failed = found.outcome else {
            Issue.record("\(found.outcome)")
            return
        }
        // The server may not have read the last ones yet.
        try server.wait(forQuestions: 4)
        #expect(server.questions.count == 4)
    }

    @Test func `an answer too large for a datagram comes by TCP`() {
        let addresses = (0..<64).map { IPAddress.v4(IPv4Address(198, 51, 100, UInt8($0))) }
        let (found, questions) = resolve { question in
            if !question.isTCP { return .truncated }
            return question.isA ? .answer(addresses.map { .address("a.test", $0) }) : .answer([])
        }
        #expect(found.addresses == addresses)
        #expect(questions.contains { $0.isTCP })
    }

    @Test(arguments: [true, false]) func `an answer with another id or to another question is ignored`(isOtherID: Bool)
    {
        let (found, _) = resolve { question in
            guard question.isA else { return .answer([]) }
            return .mangled([.address("a.test", v4("192.0.2.1"))]) { bytes in
                var forged = bytes
                // The id, or the first letter of the name that is asked for; and the address.
                forged[isOtherID ? 0 : 13] ^= 3
                forged[forged.count - 1] = 66
                return forged
            }
        }
        #expect(found.addresses == [v4("192.0.2.1")])
    }

    @Test func `the second server answers where the first is silent`() {
        let silent = started.server { _ in .silence }
        let server = started.server { $0.isA ? Self.one4 : Self.none }
        var environment = fixture.environment([silent, server])
        environment.attemptTimeout = .milliseconds(20)
        #expect(Resolver(environment).all("a.test").addresses == [v4("192.0.2.1")])
    }

    @Test func `a lookup does not wait for the other family if the addresses are enough`() {
        let server = started.server { $0.isA ? Self.one4 : .silence }
        let resolver = Resolver(fixture.environment([server]))
        let found = resolver.resolve(host("a.test"), deadline: later()) { $0 == [v4("192.0.2.1")] }
        #expect(found.addresses == [v4("192.0.2.1")])
        #expect(found.v6 == .notAwaited)
        #expect(!found.isComplete)
    }

    @Test func `a lookup waits for the other family if the addresses are not enough`() {
        let server = started.server(Self.holdsIPv6)
        let resolver = Resolver(fixture.environment([server]))
        let found = resolver.resolve(host("a.test"), deadline: later()) { addresses in
            if addresses.count == 1 {
                try? server.wait(forQuestions: 2)
                server.release()
            }
            return false
        }
        #expect(found.addresses == [v6("2001:db8::1"), v4("192.0.2.1")])
    }

    @Test func `no addresses are checked if both families answer in time`() {
        let server = started.server { $0.isA ? Self.one4 : Self.none }
        // The clock stands still, so that the second answer is always in time.
        let resolver = Resolver(fixture.environment([server], manualTime: true))
        let checks = Counter()
        let found = resolver.resolve(host("a.test"), deadline: .distantFuture) { _ in
            checks.increment()
            return true
        }
        #expect(found.isComplete)
        #expect(checks.value == 0)
    }

    @Test func `a loop reports the addresses of one family before the other answers`() throws {
        let (server, resolver, loop, _) = try started.onLoop(fixture, Self.holdsIPv6)
        let reports = ReceivedValues<[IPAddress]>()
        resolver.resolve(
            "a.test", on: loop, progress: reports.record, completion: { reports.record($0.addresses) })
        #expect(try reports.next() == [v4("192.0.2.1")])
        try server.wait(forQuestions: 2)
        server.release()
        #expect(try reports.next() == [v6("2001:db8::1"), v4("192.0.2.1")])
    }
}
