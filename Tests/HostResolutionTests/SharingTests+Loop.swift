// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostResolution
import LinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

/// The same on an event loop.
extension SharingTests {
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
        // None is lost, and a second attempt, because the machine is busy, would be a question too.
        var environment = fixture.environment([server])
        environment.attemptTimeout = .seconds(3600)
        let resolver = Resolver(environment)
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

    /// It would wait as long as the loop does something else.
    @Test func `a thread does not wait for a loop that has ended the lookup`() throws {
        let server = ScriptedDNSServer(Self.everyName)
        defer { server.stop() }
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let resolver = Resolver(fixture.environment([server]))
        let results = Results()
        _ = resolver.resolve(
            host("a.test"), on: loop, deadline: later(), enough: { _ in false }, completion: results.take("loop"))
        #expect(results.wait(for: 1)["loop"]?.map(\.outcome) == [.addresses])
        // Forgets the answer, so that the thread has to ask again.
        resolver.startOver(on: loop)
        let (held, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.enqueue {
            held.signal()
            try? freed.wait(for: "the thread to have its answer")
        }
        defer { freed.signal() }
        try held.wait(for: "the loop to be busy")
        let found = resolver.resolve(host("a.test"), deadline: later(.seconds(5))) { _ in false }
        #expect(found.outcome == .addresses)
        #expect(server.questions.count == 4)
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
}
