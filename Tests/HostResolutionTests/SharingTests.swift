// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityHostResolution

/// Several callers share one lookup.
@Suite(.timeLimit(.minutes(10)))
struct SharingTests {
    let fixture = ResolverFixture()
    let started = Started()

    static func everyName(_ question: NameServer.Question) -> NameServer.Answer {
        question.isA ? .answer([.address(question.name, address(of: question.name))]) : .answer([])
    }

    static func heldName(_ question: NameServer.Question) -> NameServer.Answer {
        question.isA ? .held([.address(question.name, address(of: question.name))]) : .held([])
    }

    /// An address that is computed from the name.
    static func address(of name: String) -> IPAddress {
        let number = name.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
        return .v4(IPv4Address(rawValue: 0x0A00_0000 | number & 0xFF_FFFF))
    }

    /// Starts threads, and waits for all of them.
    func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let threads = try (0..<count).map { number in try TestThread("test") { try body(number) } }
        for thread in threads { try thread.join() }
    }

    @Test func `threads that want the same name share one lookup`() throws {
        let server = started.server(Self.heldName)
        let resolver = Resolver(fixture.environment([server]))
        let callers = Counter()
        let deadline = later()
        try onThreads(9) { number in
            if number == 8 {
                try server.wait(forQuestions: 2)
                // A caller that begins later finds the answer in the cache, which is as good.
                try WaitLimit.wait(for: "all callers") { callers.value >= 8 }
                server.release()
                return
            }
            callers.increment()
            let found = resolver.resolve(host("a.test"), deadline: deadline) { _ in false }
            #expect(found.addresses == [Self.address(of: "a.test")])
        }
        #expect(server.count("a.test") == 2)
    }

    /// The loop of those that wait belongs to nobody's thread, and there may be no further question.
    @Test func `what a resolver has used is released with it`() throws {
        let environment = fixture.environment([started.server(Self.everyName)])
        let share = ResolverShare(ConfigurationFiles(environment))
        // Its name servers and its machine hold the configuration.
        weak var used: ResolverConfiguration?
        func ask() {
            let resolver = Resolver(environment, sharing: share)
            #expect(resolver.all("a.test").outcome == .addresses)
            used = resolver.configuration
        }
        ask()
        #expect(used == nil)
        // Also where another thread runs the loop.
        let held = started.server(Self.heldName)
        let asking = try TestThread("asks") { [fixture] in
            #expect(Resolver(fixture.environment([held]), sharing: share).all("b.test").outcome == .addresses)
        }
        try held.wait(forQuestions: 2)
        ask()
        held.release()
        try asking.join()
        #expect(used == nil)
    }

    @Test func `an answer that comes between a caller's look into the cache and its lookup is used`() {
        let server = started.server(Self.everyName)
        let begun = Flag()
        let inner = Mutex<Resolver?>(nil)
        let resolver = Resolver(fixture.environment([server])) { _ in
            // Called after the look into the cache.
            if !begun.isSet {
                begun.set()
                _ = inner.withLock { $0 }?.all("a.test")
            }
            return true
        }
        inner.withLock { $0 = resolver }
        #expect(resolver.all("a.test").addresses == [Self.address(of: "a.test")])
        #expect(server.questions.count == 2)
        inner.withLock { $0 = nil }
    }

    @Test func `a caller with more time takes over from the one that drives the lookup`() throws {
        let server = started.server(Self.heldName)
        var environment = fixture.environment([server], manualTime: true)
        // No second attempt.
        environment.attemptTimeout = .seconds(3600)
        let resolver = Resolver(environment)
        let driverIsGone = Flag()
        // The first caller looks at the clock every 100 ms, and runs out of time when the test says so.
        let now = fixture.time.now()
        try onThreads(3) { number in
            switch number {
            case 0:
                let found = resolver.resolve(host("a.test"), deadline: now.advanced(by: .milliseconds(100))) { _ in
                    false
                }
                #expect(found.outcome == .deadlinePassed)
                driverIsGone.set()
            case 1:
                try server.wait(forQuestions: 2)
                let found = resolver.resolve(host("a.test"), deadline: now.advanced(by: .seconds(30))) { _ in false }
                #expect(found.addresses == [Self.address(of: "a.test")])
            default:
                try WaitLimit.wait(for: "two callers") { resolver.callerCount == 2 }
                fixture.time.advance(.seconds(1))
                try WaitLimit.wait(for: "the driving caller to be gone") { driverIsGone.isSet }
                server.release()
            }
        }
        #expect(server.count("a.test") == 2)
    }

    @Test func `if the callers' loop cannot wait any more, every one of them is told`() async {
        // In its own process, as the failure may meet any loop.
        await #expect(processExitsWith: .success) {
            let server = NameServer(SharingTests.heldName)
            let resolver = Resolver(ResolverFixture().environment([server]))
            let (told, last) = (Counter(), ReceivedValues<ResolutionOutcome>())
            func begin(_ name: String, _ end: @escaping @Sendable (ResolutionOutcome) -> Void) throws {
                _ = try TestThread(name) {
                    end(resolver.resolve(host(name), deadline: .distantFuture) { _ in false }.outcome)
                }
            }
            for _ in 0..<8 {
                try begin("a.test") { outcome in
                    if case .couldNotAsk = outcome { told.increment() }
                }
            }
            try WaitLimit.wait(for: "the callers") { resolver.callerCount == 8 }
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            // A ninth caller wakes the thread that runs the loop. If that thread was awake, the loop has failed before the ninth
            // caller comes, which then gets a new loop and an answer.
            try begin("b.test") { last.record($0) }
            try WaitLimit.wait(for: "all to be told", within: 20) { told.value == 8 }
            server.setScript(SharingTests.everyName)
            server.release()
            let outcome = try last.next()
            if case .couldNotAsk = outcome {} else { try #require(outcome == .addresses) }
            server.stop()
        }
    }

    @Test func `sixteen threads with random cancelling: every name has its own answer, no descriptor is left`() async {
        // In its own process, since descriptors are counted.
        await #expect(processExitsWith: .success) { try SharingTests().resolveAtRandom() }
    }

    func resolveAtRandom() throws {
        let server = NameServer { question in
            // A third of the names gets no answer.
            question.name.utf8.dropFirst().first.map { $0 % 3 == 0 } == true ? .silence : Self.everyName(question)
        }
        let before = openDescriptorCount()
        let loop = try started.loop()
        let completions = Counter()
        let begun = Counter()
        do {
            let resolver = Resolver(fixture.environment([server]))
            try onThreads(16) { thread in
                var random = SeededGenerator(seed: 0x5EED &+ UInt64(thread))
                // 16 times 625 is ten thousand.
                for _ in 0..<(Extent.isFull ? 625 : 25) {
                    let name = "n\(random.next() % 60).test"
                    let deadline = SystemTime().now().advanced(by: .milliseconds(Int(random.next() % 40)))
                    if random.next() % 2 == 0 {
                        let found = resolver.resolve(host(name), deadline: deadline) { _ in true }
                        precondition(found.addresses.isEmpty || found.addresses == [Self.address(of: name)])
                    } else {
                        begun.increment()
                        let token = resolver.resolve(name, on: loop, deadline: deadline, enough: { _ in true }) {
                            precondition($0.addresses.isEmpty || $0.addresses == [Self.address(of: name)])
                            completions.increment()
                        }
                        if random.next() % 2 == 0 { token?.cancel() }
                    }
                }
            }
            // Every wait on the loop ends by its deadline.
            try WaitLimit.wait(for: "every completion") { completions.value >= begun.value }
        }
        precondition(completions.value == begun.value)
        // The loop has two, one of them a timer. The resolver closes its own when the last of the threads and the loop's
        // work lets go of it. The test's own process may have closed some that it had at the beginning.
        try WaitLimit.wait(for: "the resolver's descriptors to be closed") { openDescriptorCount() <= before + 2 }
        server.stop()
    }

    // MARK: On an event loop

    @Test func `many names at once on one loop, each with its own answer`() throws {
        let server = started.server(Self.everyName)
        let loop = try started.loop()
        // None is lost, and a second attempt, because the machine is busy, would be a question too.
        var environment = fixture.environment([server])
        environment.attemptTimeout = .seconds(3600)
        let resolver = Resolver(environment)
        let told = ReceivedValues<Bool>()
        for number in 0..<500 {
            let name = "n\(number).test"
            resolver.resolve(name, on: loop) { told.record($0.addresses == [Self.address(of: name)]) }
        }
        #expect(try told.next(500).allSatisfy(\.self))
        #expect(server.questions.count == 1000)
    }

    @Test func `waiters on a loop share one lookup, and cancelling one disturbs no other`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.heldName)
        let tokens = (0..<3).map { _ in resolver.resolve("a.test", on: loop, completion: told.record) }
        try server.wait(forQuestions: 2)
        tokens[1]?.cancel()
        #expect(try told.next().outcome == .cancelled)
        server.release()
        let found = try told.next(2)
        #expect(found[0].outcome == .addresses && found[1] === found[0])
        tokens[0]?.cancel()
        #expect(server.questions.count == 2)
    }

    @Test func `answers after the last waiter cancelled are ignored, and the next lookup asks again`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.heldName)
        let token = resolver.resolve("a.test", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        token?.cancel()
        #expect(try told.next().outcome == .cancelled)
        server.release()
        server.setScript(Self.everyName)
        resolver.resolve("a.test", on: loop, completion: told.record)
        #expect(try told.next().outcome == .addresses)
        #expect(server.questions.count == 4)
    }

    @Test func `a deadline on a loop ends one wait only`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.heldName)
        resolver.resolve("a.test", on: loop, completion: told.record)
        resolver.resolve("a.test", on: loop, deadline: later(.milliseconds(30)), completion: told.record)
        #expect(try told.next().outcome == .deadlinePassed)
        try server.wait(forQuestions: 2)
        server.release()
        #expect(try told.next().outcome == .addresses)
    }

    @Test func `on a loop the other family is not waited for once the addresses are enough`() throws {
        let (_, resolver, loop, told) = try started.onLoop(fixture) { $0.isA ? Self.everyName($0) : .silence }
        resolver.resolve("a.test", on: loop, enough: { !$0.isEmpty }, completion: told.record)
        let found = try told.next()
        #expect(found.addresses == [Self.address(of: "a.test")])
        #expect(found.v6 == .notAwaited)
    }

    /// The loop may do something else for long, end, or fail.
    @Test func `a thread does not wait for a lookup on a loop, and asks for itself`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.heldName)
        resolver.resolve("a.test", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        let freed = try loop.block()
        server.setScript(Self.everyName)
        #expect(resolver.all("a.test").addresses == [Self.address(of: "a.test")])
        #expect(server.questions.count == 4)
        server.release()
        freed.signal()
        #expect(try told.next().outcome == .addresses)
    }

    @Test func `a loop that ends during a lookup leaves the name free, and refuses the next lookup`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.heldName)
        resolver.resolve("a.test", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        loop.stop()
        #expect(resolver.resolve("b.test", on: loop, completion: told.record) == nil)
        server.setScript(Self.everyName)
        #expect(resolver.all("a.test").addresses == [Self.address(of: "a.test")])
        #expect(told.all.isEmpty)
    }

    @Test func `a loop that fails during a lookup leaves the name free, refuses the next lookup, and is released`()
        async
    {
        // In its own process, as the failure may meet any loop.
        await #expect(processExitsWith: .success) {
            let server = NameServer(SharingTests.heldName)
            let resolver = Resolver(ResolverFixture().environment([server]))
            var loop: EventLoop? = try EventLoop(name: "failing")
            weak var failed: EventLoop?
            failed = loop
            resolver.resolve("a.test", on: loop!) { _ in }
            try server.wait(forQuestions: 2)
            // Another error than that of a closed descriptor, after which a loop is never released.
            FaultInjection.fail(.epollWait, with: .notPermitted)
            loop!.enqueue {}
            try WaitLimit.wait(for: "the failure") { loop!.failure != nil }
            try #require(resolver.resolve("b.test", on: loop!) { _ in } == nil)
            loop = nil
            try WaitLimit.wait(for: "the release of the loop") { failed == nil }
            server.setScript(SharingTests.everyName)
            try #require(resolver.all("a.test").addresses == [SharingTests.address(of: "a.test")])
            server.stop()
        }
    }
}
