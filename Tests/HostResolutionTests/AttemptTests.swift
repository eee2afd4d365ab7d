// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution

/// How often a question is asked, and where. This is ours to decide, whatever c-ares would do.
@Suite("Attempts", .timeLimit(.minutes(10)))
struct AttemptTests {
    let fixture = ResolverFixture()
    let started = Started()

    /// c-ares forgets all questions that a server was asked, or none.
    @Test func `that are still open are made anew where a server's answered questions are forgotten`() throws {
        let first = started.server { $0.name == "open.test" ? SharingTests.heldName($0) : .silence }
        var environment = fixture.environment([first, started.server(SharingTests.everyName)], manualTime: true)
        (environment.attemptTimeout, environment.attempts) = (.seconds(3600), 1)
        let (resolver, loop) = (Resolver(environment), try EventLoop(time: fixture.time))
        let told = ReceivedValues<Resolution>()
        func wait(for words: String, until holds: () -> Bool) throws {
            try WaitLimit.wait(for: words) {
                loop.turn()
                return holds()
            }
        }
        for number in 0..<150 {
            resolver.resolve("n\(number).test", on: loop, deadline: .distantFuture, completion: told.record)
        }
        try wait(for: "all questions") {
            fixture.time.advance(.milliseconds(100))
            return first.questions.count == 300
        }
        // The other server is asked, and answers.
        fixture.time.advance(.seconds(3600))
        resolver.resolve("open.test", on: loop, deadline: .distantFuture, completion: told.record)
        try wait(for: "the answers") { told.all.count == 150 }
        try wait(for: "the open questions, once more") { first.count("open.test") == 4 }
        first.release()
        try wait(for: "their answer") { told.all.count == 151 }
        #expect(told.all.last?.addresses == [SharingTests.address(of: "open.test")])
        loop.stop()
        loop.turn()
    }

    // MARK: The plan

    private func attempts(_ servers: Int, _ rounds: Int, first: Int = 0) -> QuestionAttempts {
        QuestionAttempts(.init(servers: servers, rounds: rounds, timeout: .seconds(1)), first: first)
    }

    @Test func `go to the servers in turn, and wait twice as long after each round`() {
        var attempts = attempts(2, 3, first: 1)
        var seen: [(Int, Duration)] = []
        repeat { seen.append((attempts.server, attempts.attemptTimeout)) } while attempts.timeOut()
        #expect(seen.map(\.0) == [1, 0, 1, 0, 1, 0])
        #expect(seen.map(\.1) == [1, 1, 2, 2, 4, 4].map(Duration.seconds))
        #expect(attempts.failure.description == "failed(Timeout while contacting DNS servers)")
        #expect(QuestionAttempts.Plan(servers: 2, rounds: 3, timeout: .seconds(1)).wholeTime == .seconds(14))
    }

    @Test func `leave out a server that failed, unless it is the only one`() {
        var several = attempts(3, 2)
        var asked = [several.server]
        while several.number == 1 ? several.timeOut() : several.fail(several.number, .failed(AresStatus(code: 6))) {
            asked.append(several.server)
        }
        // The second server was silent.
        #expect(asked == [0, 1, 2, 1])
        #expect(several.failure.description == "failed(Timeout while contacting DNS servers)")
        var one = attempts(1, 3)
        let goesOn = (0..<3).map { one.fail($0, .failed(AresStatus(code: 6))) }
        #expect(goesOn == [true, true, false])
        #expect(one.failure == .failed(AresStatus(code: 6)))
    }

    @Test func `leave out the server that failed, also where another is asked first`() {
        var attempts = attempts(3, 2, first: 1)
        var asked = [attempts.server]
        while attempts.number == 0 ? attempts.fail(0, .failed(AresStatus(code: 6))) : attempts.timeOut() {
            asked.append(attempts.server)
        }
        #expect(asked == [1, 2, 0, 2, 0])
    }

    @Test func `are not skipped because an earlier one failed late`() {
        var attempts = attempts(2, 1)
        let goesOn = [attempts.timeOut(), attempts.fail(0, .failed(AresStatus(code: 3)))]
        #expect(goesOn == [true, true])
        #expect(attempts.server == 1)
    }

    // MARK: With a server

    @Test func `are not made sooner because earlier answers came fast`() {
        let server = started.server { $0.name == "slow.test" ? .silence : SharingTests.everyName($0) }
        var environment = fixture.environment([server])
        environment.attemptTimeout = .seconds(3600)
        let resolver = Resolver(environment)
        for number in 0..<10 { #expect(resolver.all("n\(number).test").outcome == .addresses) }
        // Longer than the quarter of a second after which c-ares 1.34 would ask again.
        let found = resolver.resolve(host("slow.test"), deadline: later(.milliseconds(600))) { _ in false }
        #expect(found.outcome == .deadlinePassed)
        #expect(server.count("slow.test") == 2)
    }

    @Test func `still take an answer to an earlier one`() throws {
        let server = started.server(SharingTests.heldName)
        var environment = fixture.environment([server])
        environment.attemptTimeout = .milliseconds(50)
        environment.attempts = 14
        let resolver = Resolver(environment)
        let loop = try started.loop()
        let told = ReceivedValues<Resolution>()
        resolver.resolve("a.test", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        // Only the first questions are answered, after the second.
        server.setScript { _ in .silence }
        try server.wait(forQuestions: 6)
        server.release()
        #expect(try told.next().addresses == [SharingTests.address(of: "a.test")])
    }

    @Test func `stop with a server that finds the question malformed`() {
        let server = started.server { _ in .fail(rcode: 1) }
        let found = Resolver(fixture.environment([server])).all("a.test")
        #expect(found.v4.description == "failed(DNS server claims query was misformatted)")
        #expect(server.questions.count == 2)
    }

    @Test(arguments: [
        (UInt8(2), "DNS server returned general failure"), (4, "DNS server does not implement requested operation"),
        (5, "DNS server refused query"), (9, "DNS server returned general failure"),
    ]) func `go to the next server after a failure, and the last failure is told`(code: UInt8, text: String) {
        let bad = started.server { _ in .fail(rcode: code) }
        let good = started.server(SharingTests.everyName)
        #expect(Resolver(fixture.environment([bad, good])).all("a.test").outcome == .addresses)
        #expect(bad.questions.count == 2)
        #expect(Resolver(fixture.environment([bad])).all("a.test").v4.description == "failed(\(text))")
        #expect(bad.questions.count == 2 + 2 * 3)
    }

    @Test(.needs(.sysfs)) func `open no file of the system`() throws {
        // A directory that is mounted over /etc for one thread. Nothing else opens files there.
        let files = ["resolv.conf", "nsswitch.conf", "netsvc.conf", "svc.conf", "hosts", "host.conf"]
        let etc = ResolverFixture()
        for file in files { etc.write(file, "nameserver 192.0.2.9\nhosts: files\n") }
        let container = try Machine(sysfs: true)
        let opened = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        defer { close(opened) }
        unsafe inotify_add_watch(opened, etc.directory, UInt32(IN_OPEN))
        let found = try container.run {
            _ = try CallingThread.execute(["mount", "--bind", etc.directory, "/etc"])
            let server = started.server(SharingTests.everyName)
            // The directory itself is opened by nothing either.
            return Resolver(fixture.environment([server])).all("a.test")
        }
        #expect(found.outcome == .addresses)
        var events = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(opened, &events, events.count)
        #expect(count == -1, "\(String(decoding: events.prefix(max(0, count)), as: UTF8.self))")
        // The watch itself works.
        container.run { _ = try? Files.contents(of: "/etc/svc.conf") }
        #expect(unsafe read(opened, &events, events.count) > 0)
    }
}

extension FamilyOutcome {
    var description: String { "\(self)" }
}

/// Name servers at a port without a listener. The kernel refuses the question at once (icmp(7), ECONNREFUSED).
///
/// An attempt without a refusal would take an hour here. So a lookup that ends before the deadline was refused.
@Suite("Refused questions", .timeLimit(.minutes(10)))
struct RefusingServerTests {
    let fixture = ResolverFixture()
    let started = Started()

    private func environment(_ servers: [NameServer] = []) -> ResolverEnvironment {
        var environment = fixture.environment(servers)
        let dead = ServerAddress(localhost4, port: NameServer.deadPort())
        environment.servers = [dead] + (environment.servers ?? [])
        environment.attemptTimeout = .seconds(3600)
        return environment
    }

    /// The answers of a blocking lookup and of one on a loop, each with its own resolver.
    private func answers(_ environment: ResolverEnvironment, _ name: String = "a.test") throws -> [Resolution] {
        let loop = try started.loop()
        let told = ReceivedValues<Resolution>()
        let watching = Resolver(environment)
        _ = watching.resolve(name, on: loop, completion: told.record)
        return [Resolver(environment).all(name), try told.next()]
    }

    private func expectFailure(_ resolution: Resolution) {
        for outcome in [resolution.v4, resolution.v6] {
            guard case .failed = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test(arguments: ["", "options use-vc\n"]) func `fail at once, for both families`(resolvConf: String) throws {
        fixture.write("resolv.conf", resolvConf)
        for resolution in try answers(environment()) { expectFailure(resolution) }
    }

    @Test func `fail at once in every domain that is searched`() throws {
        fixture.write("resolv.conf", "search one.test two.test three.test\n")
        for resolution in try answers(environment(), "a") { expectFailure(resolution) }
    }

    @Test func `fail at once, also many together`() throws {
        let loop = try started.loop()
        let told = ReceivedValues<Resolution>()
        let resolver = Resolver(environment())
        for number in 0..<300 { resolver.resolve("n\(number).test", on: loop, completion: told.record) }
        for resolution in try told.next(300) { expectFailure(resolution) }
    }

    @Test func `go to the next server at once, for both families`() throws {
        let server = started.server { question in
            .answer([.address(question.name, question.isA ? v4("192.0.2.1") : v6("2001:db8::1"))])
        }
        for resolution in try answers(environment([server])) {
            #expect(resolution.addresses == [v6("2001:db8::1"), v4("192.0.2.1")])
        }
        // Two for the thread and two for the loop. No question was repeated.
        #expect(server.questions.count == 4)
    }
}
