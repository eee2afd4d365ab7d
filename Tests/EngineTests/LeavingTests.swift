// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

extension Engine {
    /// Runs `body` on the engine's thread, after all work that is enqueued already and what that work enqueues.
    func afterwards<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value {
        let arrivals = ReceivedValues<Value>()
        loop.enqueue { [loop] in loop.enqueue { arrivals.record(body()) } }
        return try arrivals.next()
    }
}

extension NamespaceContext {
    /// The engine, which runs until it is released.
    func acquireEngine() throws -> Engine { try undisturbed { try sharedEngine.acquire(for: self) } }

    /// Watches what `begin` begins to watch, and blocks the engine's thread while all of it is ended.
    fileprivate func stopEngine(after begin: () throws -> () -> Void) throws {
        let engine = try acquireEngine()
        let end = try begin()
        let held = try engine.loop.block()
        end()
        sharedEngine.release()
        held.signal()
    }
}

@Suite("What is no longer watched", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LeavingTests {
    @Test func `is not resolved, though the engine runs on`() throws {
        let network = try NamedNetwork { _ in .silence }
        let reference = try network.reference("a.test")
        guard case .name(let host) = reference.subject else {
            Issue.record("not a name")
            return
        }
        let engine = try network.namespace.acquireEngine()
        try network.recorder.watch(reference)
        try network.server.wait(forQuestions: 2)
        #expect(try engine.afterwards { host.resolver.hasWork(on: engine.loop) })
        try reference.setDispatchQueue(nil)
        #expect(try engine.afterwards { !host.resolver.hasWork(on: engine.loop) })
        network.namespace.sharedEngine.release()
    }

    /// More subscribers leave at once than the engine removes in one piece of work. The engine ends when the last one has left.
    @Test func `leaves nothing behind if the engine ends before it has taken note of all of it`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.holding)
            let reference = try network.reference("a.test")
            func descriptors(after count: Int) throws -> Int {
                let asked = network.server.questions.count
                try network.namespace.stopEngine {
                    let tokens = try (0..<count).map { _ in try reference.observe { _ in } }
                    try network.server.wait(forQuestions: asked + 2)
                    return { for token in tokens { token.cancel() } }
                }
                try ProcessState.waitUntilEnginesAreGone()
                return ProcessState.descriptors
            }
            try reference.openRouteClients()
            let few = try descriptors(after: 10)
            let many = try descriptors(after: 2_000)
            try #require(few == many)
            network.server.stop()
        }
    }

    /// Whoever asks in a call does not wait for the engine, which may end at any moment.
    @Test func `is of no matter to threads that ask for the same name, however often the engine starts and ends`()
        throws
    {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7", ttl: 0))
        let (watched, answered, ended) = (try network.reference("a.test"), Counter(), Flag())
        let threads = try (0..<6).map { _ in
            try TestThread("asker") {
                let asked = try network.reference("a.test")
                for _ in 0..<200 where try asked.getFlags() == [.reachable, .isDirect] { answered.increment() }
            }
        }
        let scheduler = try TestThread("scheduler") {
            while !ended.isSet {
                try network.recorder.watch(watched)
                try watched.setDispatchQueue(nil)
            }
        }
        for thread in threads { try thread.join() }
        ended.set()
        try scheduler.join()
        #expect(answered.value == 1_200)
    }

    @Test func `does not keep who asks for a name when the loop has just ended`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        let engine = try network.namespace.acquireEngine()
        engine.loop.stop()
        let asked = try network.reference("a.test")
        let told = ReceivedValues<[IPAddress]>()
        try asked.resolve { told.record($0?.addresses ?? []) }
        #expect(try told.next() == [IPAddress(text: "10.0.0.7")])
        #expect(network.namespace.sharedEngine.userCount == 1)
        network.namespace.sharedEngine.release()
    }

    @Test func `has no files watched, though the engine runs on`() async {
        // In its own process, because other tests open some too.
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let reference = try network.reference("a.test")
            let engine = try network.namespace.acquireEngine()
            try #require(try reference.getFlags() == .reachable)
            let before = ProcessState.inotifyCount
            try network.recorder.watch(reference)
            try #require(try network.recorder.next() == .reachable)
            try reference.setDispatchQueue(nil)
            let after = try engine.afterwards { ProcessState.inotifyCount }
            try #require(after == before, "\(before), \(after)")
            network.namespace.sharedEngine.release()
        }
    }

    @Test func `has no timer set, though the engine runs on`() async {
        await #expect(processExitsWith: .success) {
            // The seconds left (proc(5), fdinfo). Nothing else here waits that long.
            @Sendable func timers() -> [Int] {
                (0..<1024 as Range<Int32>).compactMap { descriptor in
                    let bytes = (try? Files.contents(of: "/proc/self/fdinfo/\(descriptor)")) ?? []
                    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first {
                        $0.hasPrefix("it_value:")
                    }
                    return line?.split(separator: "(").last?.split(separator: ",").first.flatMap { Int($0) }
                }
            }
            let reference = try Machine().run { try ReachabilityRef(address: "127.0.0.1") }
            let engine = try reference.namespace.acquireEngine()
            try await reference.waitUntilReachable(timeout: .seconds(3600))
            // A look sets the timer anew.
            let before = reference.statistics.evaluationPasses
            try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
            try ProcessState.wait("a look") { reference.statistics.evaluationPasses > before }
            for _ in 0..<2 { _ = try engine.afterwards { true } }
            try ProcessState.wait("no timer is set") { !timers().contains { $0 > 1800 } }
            try reference.setDispatchQueue(nil)
            reference.namespace.sharedEngine.release()
        }
    }
}

@Suite("The ways out", .timeLimit(.minutes(10)), .needs(.namespaces))
struct PathWatcherTests {
    @Test func `are not looked at any more when the last subscriber has left, whatever was due`() throws {
        let network = try WatchedNetwork()
        let engine = try network.engine
        let recorder = PathRecorder()
        engine.addToPath(recorder)
        try recorder.next()
        let anybody = try network.reference("192.0.2.1")
        let before = anybody.statistics.interfaceListings
        #expect(before > 0)
        engine.loop.enqueue {
            engine.core.paths.readSoon()
            engine.core.paths.remove(recorder)
        }
        try network.settle()
        #expect(anybody.statistics.interfaceListings == before)
    }
}
