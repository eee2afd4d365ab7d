// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("Changes as a sequence", .timeLimit(.minutes(10)), .needs(.namespaces))
struct SequenceTests {
    @Test func `begin with the present flags, and end with the loop that reads them`() async throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.reference("192.0.2.1")
        let engine = reference.namespace.sharedEngine
        let before = engine.userCount
        var seen: [ReachabilityFlags] = []
        for try await flags in reference.flagChanges {
            seen.append(flags)
            switch seen.count {
            case 1: try network.topology.ip("route add default via 10.0.0.254")
            case 2: try network.topology.ip("route del default")
            default: break
            }
            if seen.count == 3 { break }
        }
        #expect(seen == [[], .reachable, []])
        withExtendedLifetime(network) { #expect(engine.userCount == before) }
    }

    @Test func `of a name begin when it is resolved`() async throws {
        let network = try NamedNetwork(NamedNetwork.holding)
        let reference = try network.reference("a.test")
        var changes = reference.flagChanges.makeAsyncIterator()
        try network.server.wait(forQuestions: 2)
        network.server.release()
        #expect(try await changes.next() == [.reachable, .isDirect])
    }
}

@Suite("The path as a sequence", .timeLimit(.minutes(10)), .needs(.namespaces))
struct PathSequenceTests {
    private let network: WatchedNetwork
    private var namespace: ReachabilityOptions.NetworkNamespace { .path(network.topology.namespacePath) }

    init() throws { network = try WatchedNetwork("10.0.0.1/24") }

    @Test func `begins with the present one, and tells what a client can see`() async throws {
        var seen: [String] = []
        for try await path in NetworkPath.changes(in: namespace) {
            seen.append("\(path.status) by \(path.interface?.name ?? "nothing"): \(path.reasonCode)")
            switch seen.count {
            case 1:
                // No client sees these.
                try network.topology.ip("address add 10.9.9.9/32 dev lo")
                try network.topology.ip("address add fe80::7/64 dev eth0 nodad")
                try network.settle()
                try network.topology.ip("route add default via 10.0.0.254")
            case 2: try network.topology.ip("address add 10.0.0.9/24 dev eth0")
            case 3: #expect(path.interfaces.first?.addresses == ["10.0.0.1/24", "10.0.0.9/24"])
            default: break
            }
            if seen.count == 3 { break }
        }
        #expect(
            seen == ["unsatisfied by nothing: no_route", "satisfied by eth0: gateway", "satisfied by eth0: gateway"])
    }

    /// A change is announced, and the engine has not looked at it yet.
    @Test func `begins with the present one for one who joins, not with that of the last look`() throws {
        let engine = try network.engine
        let (first, second) = (PathRecorder(), PathRecorder())
        engine.addToPath(first)
        _ = try first.next()
        let held = try engine.loop.block()
        try network.topology.ip("address add 10.0.0.9/24 dev eth0")
        engine.addToPath(second)
        held.signal()
        #expect(try second.next().interfaces.first?.addresses == ["10.0.0.1/24", "10.0.0.9/24"])
        for recorder in [first, second] { engine.removeFromPath(recorder) }
    }

    @Test func `is asked for once, and is the same then`() async throws {
        try network.topology.ip("route add default via 10.0.0.254")
        let asked = try NetworkPath.current(in: namespace)
        #expect(asked.status == .satisfied && asked.hasIPv4 && !asked.hasIPv6 && asked.reasonCode == "gateway")
        var paths = NetworkPath.changes(in: namespace).makeAsyncIterator()
        #expect(try await paths.next() == asked)
        #expect(try network.topology.run { try NetworkPath.current() } == asked)
    }

    @Test func `of a namespace that cannot be entered is an error`() async {
        #expect(code { _ = try NetworkPath.current(in: .path("/dev/null")) } == .invalidOption)
        var paths = NetworkPath.changes(in: .path("/dev/null")).makeAsyncIterator()
        let error = await #expect(throws: ReachabilityError.self) { try await paths.next() }
        #expect(error?.code == .invalidOption)
    }
}

@Suite("Sequences that fail", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FailingSequenceTests {
    @Test func `give what was told before, and then the reason once`() async throws {
        let failure = ReachabilityError(.kernelUnavailable, "watch", "", "it is refused")
        let changes = NetworkChanges<Int> { feed throws(ReachabilityError) in
            feed.tell(1)
            feed.tell(2)
            feed.fail(failure)
            return CancellationToken {}
        }
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next() == 2)
        let error = await #expect(throws: ReachabilityError.self) { try await iterator.next() }
        #expect(error == failure)
        #expect(try await iterator.next() == nil)
    }

    /// What fails later is in `HostMistakeTests`.
    @Test func `say so where watching cannot begin, and begin when it can`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let reference = try topology.reference("192.0.2.1")
            let paths = NetworkPath.changes(in: topology.options.networkNamespace)
            FaultInjection.fail(.epollCreate, with: .tooManyOpenFiles, times: .max)
            var (flag, path) = (reference.flagChanges.makeAsyncIterator(), paths.makeAsyncIterator())
            let obstacles = RequestGate(to: reference).obstacles
            var obstacle = obstacles.makeAsyncIterator()
            for error in [
                await #expect(throws: ReachabilityError.self) { try await flag.next() },
                await #expect(throws: ReachabilityError.self) { try await path.next() },
                await #expect(throws: ReachabilityError.self) { try await obstacle.next() },
            ] { try #require(error?.errno == EMFILE) }
            try #require(try await flag.next() == nil)
            FaultInjection.reset()
            (flag, path) = (reference.flagChanges.makeAsyncIterator(), paths.makeAsyncIterator())
            obstacle = obstacles.makeAsyncIterator()
            try #require(try await flag.next() == [])
            try #require(try await path.next()?.status == .unsatisfied)
            try #require(try await obstacle.next() == [.unreachable])
        }
    }
}

@Suite("Waiting until reachable", .timeLimit(.minutes(10)), .needs(.namespaces))
struct WaitingTests {
    @Test func `ends when it becomes so`() async throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.reference("192.0.2.1")
        let users = reference.namespace.sharedEngine.userCount
        async let waiting: Void = reference.waitUntilReachable(timeout: .seconds(60))
        try network.topology.ip("route add unreachable 192.0.2.1")
        try network.topology.ip("route replace 192.0.2.1 via 10.0.0.254")
        try await waiting
        withExtendedLifetime(network) { #expect(reference.namespace.sharedEngine.userCount == users) }
    }

    @Test(arguments: [true, false])
    func `ends when the task is cancelled, also before it began`(isEarly: Bool) async throws {
        let topology = try Machine()
        let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let engine = reference.namespace.sharedEngine
        let waiting = Task(priority: .high) {
            if isEarly { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            try await reference.waitUntilReachable()
        }
        if !isEarly {
            try await WaitLimit.wait(for: "the waiting to begin") { engine.userCount > 0 }
            waiting.cancel()
        }
        let error = await #expect(throws: ReachabilityError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(engine.userCount == 0)
    }

    @Test func `ends for all of many who wait`() async throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.reference("192.0.2.1")
        let users = reference.namespace.sharedEngine.userCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await reference.waitUntilReachable() } }
            try await WaitLimit.wait(for: "all to wait") {
                reference.namespace.sharedEngine.userCount == users + 100
            }
            try network.topology.ip("route add default via 10.0.0.254")
            try await group.waitForAll()
        }
        withExtendedLifetime(network) { #expect(reference.namespace.sharedEngine.userCount == users) }
    }
}
