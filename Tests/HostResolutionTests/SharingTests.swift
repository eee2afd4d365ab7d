// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import NetworkFacts
import Synchronization
import TestHosts
import TestTopology
import TestWaiting
import Testing

/// Several callers share one lookup.
@Suite(.timeLimit(.minutes(10)))
struct SharingTests {
    let fixture = ResolverFixture()

    static func everyName(_ question: ScriptedDNSServer.Question) -> ScriptedDNSServer.Reaction {
        question.isA ? .answer([.address(question.name, address(of: question.name))]) : .answer([])
    }

    static func heldName(_ question: ScriptedDNSServer.Question) -> ScriptedDNSServer.Reaction {
        question.isA ? .held([.address(question.name, address(of: question.name))]) : .held([])
    }

    /// An address that is computed from the name.
    static func address(of name: String) -> IPAddress {
        let number = name.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
        return .v4(IPv4Address(rawValue: 0x0A00_0000 | number & 0xFF_FFFF))
    }

    func later(_ duration: Duration = .seconds(30)) -> BootTime { SystemTime().now().advanced(by: duration) }

    /// Starts threads, and waits for all of them.
    func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let threads = try (0..<count).map { number in try TestThread("test") { try body(number) } }
        for thread in threads { try thread.join() }
    }

    @Test func `threads that want the same name share one lookup`() throws {
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
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

    @Test func `an answer that comes between a caller's look into the cache and its lookup is used`() {
        let server = ScriptedDNSServer(Self.everyName)
        defer { server.stop() }
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
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
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
                try WaitLimit.wait(for: "two callers") { resolver.callerCount(host("a.test")) == 2 }
                fixture.time.advance(.seconds(1))
                try WaitLimit.wait(for: "the driving caller to be gone") { driverIsGone.isSet }
                server.release()
            }
        }
        #expect(server.count("a.test") == 2)
    }

    @Test func `lookups in sequence use the same channel`() {
        let server = ScriptedDNSServer(Self.everyName)
        defer { server.stop() }
        let resolver = Resolver(fixture.environment([server]))
        _ = resolver.all("first.test")
        for number in 0..<50 {
            #expect(resolver.all("n\(number).test").addresses == [Self.address(of: "n\(number).test")])
        }
        #expect(server.questions.count == 102)
    }

    // MARK: On an event loop

    /// Collects the arguments of completions.
    final class Results: Sendable {
        private let found = ConditionLock<[String: [Resolution]]>([:])

        func take(_ key: String) -> @Sendable (Resolution) -> Void {
            { resolution in
                self.found.withLock { $0[key, default: []].append(resolution) }
                self.found.broadcast()
            }
        }

        func wait(for count: Int) -> [String: [Resolution]] {
            found.wait(atMost: .seconds(30)) { $0.values.reduce(0) { $0 + $1.count } < count }
            return found.withLock { $0 }
        }
    }

    @Test func `many names at once on one loop, each with its own answer`() throws {
        let server = ScriptedDNSServer(Self.everyName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        for number in 0..<500 {
            _ = resolver.resolve(
                host("n\(number).test"), on: loop, deadline: later(), enough: { _ in false },
                completion: results.take("n\(number).test"))
        }
        let found = results.wait(for: 500)
        for (name, resolutions) in found {
            #expect(resolutions.map(\.addresses) == [[Self.address(of: name)]])
        }
        #expect(found.count == 500)
        #expect(server.questions.count == 1000)
    }

    @Test func `waiters on a loop share one lookup, and cancelling one disturbs no other`() throws {
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        let tokens = (0..<3).map { number in
            resolver.resolve(
                host("a.test"), on: loop, deadline: later(), enough: { _ in false },
                completion: results.take("\(number)"))
        }
        try server.wait(forQuestions: 2)
        tokens[1].cancel()
        #expect(results.wait(for: 1).mapValues { $0.map(\.outcome) } == ["1": [.cancelled]])
        server.release()
        let found = results.wait(for: 3)
        #expect(found["0"]?.map(\.outcome) == [.addresses])
        #expect(found["2"]?.first === found["0"]?.first)
        tokens[0].cancel()
        #expect(server.questions.count == 2)
    }

    @Test func `answers after the last waiter cancelled are ignored, and the next lookup asks again`() throws {
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        let token = resolver.resolve(
            host("a.test"), on: loop, deadline: later(), enough: { _ in false }, completion: results.take("first"))
        try server.wait(forQuestions: 2)
        token.cancel()
        #expect(results.wait(for: 1)["first"]?.map(\.outcome) == [.cancelled])
        server.release()
        server.setScript(Self.everyName)
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: later(), enough: { _ in false }, completion: results.take("second"))
        #expect(results.wait(for: 2)["second"]?.map(\.outcome) == [.addresses])
        #expect(server.questions.count == 4)
    }

    @Test func `a deadline on a loop ends one wait only`() throws {
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: later(), enough: { _ in false },
            completion: results.take("long"))
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: later(.milliseconds(30)), enough: { _ in false },
            completion: results.take("short"))
        #expect(results.wait(for: 1)["short"]?.map(\.outcome) == [.deadlinePassed])
        try server.wait(forQuestions: 2)
        server.release()
        #expect(results.wait(for: 2)["long"]?.map(\.outcome) == [.addresses])
    }

    @Test func `on a loop the other family is not waited for once the addresses are enough`() throws {
        let server = ScriptedDNSServer { $0.isA ? Self.everyName($0) : .silence }
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: later(), enough: { !$0.isEmpty },
            completion: results.take("a"))
        let found = results.wait(for: 1)["a"]?.first
        #expect(found?.addresses == [Self.address(of: "a.test")])
        #expect(found?.v6 == .notAwaited)
    }

    @Test func `a thread waits for a lookup on a loop`() throws {
        let server = ScriptedDNSServer(Self.heldName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        let deadline = later()
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: deadline, enough: { _ in false },
            completion: results.take("loop"))
        try server.wait(forQuestions: 2)
        let asks = Counter()
        try onThreads(2) { number in
            if number == 0 {
                let found = resolver.resolve(host("a.test"), deadline: deadline) { _ in
                    false
                }
                #expect(found.addresses == [Self.address(of: "a.test")])
                asks.increment()
            } else {
                server.release()
            }
        }
        #expect(server.questions.count == 2)
    }

    @Test func `sixteen threads with random cancelling: every name has its own answer, no descriptor is left`() async {
        // In its own process, since descriptors are counted.
        await #expect(processExitsWith: .success) { try SharingTests().resolveAtRandom() }
    }

    func resolveAtRandom() throws {
        let server = ScriptedDNSServer { question in
            // A third of the names gets no answer.
            question.name.utf8.dropFirst().first.map { $0 % 3 == 0 } == true ? .silence : Self.everyName(question)
        }
        let before = openDescriptorCount()
        let loop = try EventLoop(name: "loop")
        let completions = Counter()
        let begun = Counter()
        do {
            let resolver = Resolver(fixture.environment([server]))
            try onThreads(16) { thread in
                var random = SplitMix(state: 0x5EED &+ UInt64(thread))
                // 16 times 625 is ten thousand.
                for _ in 0..<(Extent.isFull ? 625 : 25) {
                    let name = "n\(random.next() % 60).test"
                    let deadline = SystemTime().now().advanced(by: .milliseconds(Int(random.next() % 40)))
                    if random.next() % 2 == 0 {
                        let found = resolver.resolve(host(name), deadline: deadline) { _ in true }
                        precondition(found.addresses.isEmpty || found.addresses == [Self.address(of: name)])
                    } else {
                        begun.increment()
                        let token = resolver.resolve(host(name), on: loop, deadline: deadline, enough: { _ in true }) {
                            precondition($0.addresses.isEmpty || $0.addresses == [Self.address(of: name)])
                            completions.increment()
                        }
                        if random.next() % 2 == 0 { token.cancel() }
                    }
                }
            }
            // Every wait on the loop ends by its deadline.
            try WaitLimit.wait(for: "every completion") { completions.value >= begun.value }
        }
        // The resolver is released now, or with the batch of work that the loop runs. Its lookups close one batch
        // later.
        let closed = Flag()
        loop.enqueue { loop.enqueue { loop.enqueue { loop.enqueue { closed.set() } } } }
        try WaitLimit.wait(for: "the end") { closed.isSet }
        precondition(completions.value == begun.value)
        // The loop has two, one of them a timer.
        precondition(openDescriptorCount() == before + 2, "\(openDescriptorCount()) after \(before)")
        server.stop()
    }
}

/// SplitMix64 by Steele, Lea and Flood.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
