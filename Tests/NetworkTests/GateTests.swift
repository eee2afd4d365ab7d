// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A gate for requests", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct GateTests {
    private typealias Obstacles = [RequestGate.Obstacle]
    private let network: TestNetwork
    private let reference: ReachabilityRef
    private let seen = ReceivedValues<[RequestGate.Obstacle]>()

    init() throws {
        let network = try TestNetwork()
        self.network = network
        reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1") }
    }

    private func gate(_ conditions: RequestGate.Conditions = .init()) -> RequestGate {
        RequestGate(to: reference, conditions)
    }

    /// Records what stands in the way, until the result is cancelled.
    private func follow(_ conditions: RequestGate.Conditions) throws -> CancellationToken {
        let seen = seen
        // The engine's thread sees the files of the thread that starts it.
        return try network.topology.run { try gate(conditions).observe { seen.record($0!.obstacles) } }
    }

    /// Waits for obstacles that differ from those before them, and passes over repetitions.
    private func next(_ expected: [RequestGate.Obstacle]) throws {
        try seen.next { $0 == expected }
    }

    @Test func `opens when the network is not metered any more, and closes when it is`() throws {
        try network.addUplink("eth0", number: 1, metric: 100)
        let bus = try network.scriptedBus(.hesitant, model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        // Only the answer ends the waiting for NetworkManager, however long it takes on a busy machine.
        reference.namespace.sharedEngine.hintLimit.withLock { $0 = .seconds(3600) }
        let token = try follow(.init(allowsExpensive: false, allowsConstrained: false))
        // It never seems to be open before NetworkManager has answered.
        #expect(try seen.next { $0 != [.unknown] } == [.expensive, .constrained])
        bus.set(.no)
        try next([])
        bus.set(.guessedYes)
        try next([.expensive, .constrained])
        try network.ip("route del default")
        try next([.unreachable])
        token.cancel()
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test(arguments: [ScriptedBus.Manner.silent, .unmanaged, .refusing, .dying])
    func `does not wait for a NetworkManager that does not answer`(manner: ScriptedBus.Manner) throws {
        try network.addUplink("eth0", number: 1, metric: 100)
        let bus = try network.scriptedBus(manner, model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        let token = try follow(.init(allowsExpensive: false))
        #expect(try seen.next { $0 != [.unknown] } == [])
        // A later client of the same engine waits no more.
        let other = try follow(.init(allowsExpensive: false))
        try next([])
        for token in [token, other] { token.cancel() }
    }

    @Test func `asks for a kind of interface`() throws {
        try network.addUplink("wwan0", number: 1, metric: 100, type: "wwan")
        try network.addUplink("wlan0", number: 2, metric: 50, type: "wlan")
        let token = try follow(.init(requiredKind: .wifi))
        try next([])
        try network.ip("link set wlan0 down")
        try next([.interface])
        for (kind, expected) in [(InterfaceKind.cellular, [.interface]), (.wifi, [])] as [(InterfaceKind, Obstacles)] {
            #expect(try network.topology.run { try gate(.init(prohibitedKinds: [kind])).current() } == expected)
        }
        token.cancel()
    }

    @Test func `opens when all has been well for long enough without a break`() throws {
        // Longer than the engine's repetitions take (`Agenda`), so that only the gate's own timer opens it.
        let token = try follow(.init(stableTime: .milliseconds(1500)))
        try next([.unreachable])
        try network.addUplink("eth0", number: 1, metric: 100)
        try next([.unstable])
        try next([])
        try network.ip("route del default")
        try next([.unreachable])
        token.cancel()
        // It is closed again during the time: the break begins it anew.
        let patient = try follow(.init(stableTime: .seconds(3600)))
        for _ in 0..<3 {
            try next([.unreachable])
            try network.ip("route add default via 10.0.1.254")
            try next([.unstable])
            try network.ip("route del default")
        }
        patient.cancel()
        #expect(seen.all.count { $0.isEmpty } == 1)
    }

    @Test func `lets a task pass, and performs what it is given`() async throws {
        let gate = gate()
        let passing = Task(priority: .high) { try? await gate.pass(timeout: .seconds(100)) { 7 } }
        try network.addUplink("eth0", number: 1, metric: 100)
        #expect(try await passing.value(for: "the gate to open") == 7)
        let result: Int = try await gate.pass(timeout: .seconds(WaitLimit.seconds)) { 8 }
        #expect(result == 8)
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test func `says what was in the way when the time is up`() async throws {
        let error = await #expect(throws: ReachabilityError.self) { try await gate().pass(timeout: .seconds(2)) }
        #expect(error?.code == .timedOut && error?.explanation == "the time was up (not reachable)")
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test func `leaves nothing behind when the task is cancelled`() async throws {
        let gate = gate(.init(allowsExpensive: false, stableTime: .seconds(3600)))
        try network.addUplink("eth0", number: 1, metric: 100)
        let task = Task(priority: .high) { () -> ReachabilityError? in
            do throws(ReachabilityError) {
                try await gate.pass(timeout: .seconds(7200))
                return nil
            } catch {
                return error
            }
        }
        try ProcessState.wait("the task watches") { reference.namespace.sharedEngine.userCount > 0 }
        task.cancel()
        #expect(try await task.value(for: "the end of the task")?.code == .cancelled)
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test func `comes on the client's loop`() throws {
        try network.addUplink("eth0", number: 1, metric: 100)
        let watcher = try ReachabilityWatcher()
        let seen = seen
        let token = try watcher.add(gate(.init(requiredKind: .wiredEthernet, stableTime: .milliseconds(20)))) {
            seen.record($0)
        }
        func turn(until expected: [RequestGate.Obstacle]) throws {
            try ProcessState.wait("obstacles \(expected)") {
                try watcher.process()
                return seen.all.last == expected
            }
        }
        try turn(until: [])
        try network.ip("link set eth0 down")
        try turn(until: [.unreachable])
        #expect(watcher.remove(token))
        try network.ip("link set eth0 up")
        try watcher.process()
        #expect(seen.all.last == [.unreachable])
    }

    @Test func `costs ten thousand waiting tasks no thread`() async {
        await #expect(processExitsWith: .success) {
            let network = try TestNetwork()
            let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1") }
            let gate = RequestGate(to: reference, .init(allowsExpensive: false, requiredKind: .wiredEthernet))
            let engine = reference.namespace.sharedEngine
            func start() -> Task<Bool, Never> {
                Task { (try? await gate.pass(timeout: .seconds(3600))) != nil }
            }
            var tasks = [start()]
            // What all of them share is open when the first of them knows all.
            // The stream ends with the task, which alone holds it.
            let knowing = Task(priority: .high) {
                for try await now in gate.obstacles where now != [.unknown] { break }
            }
            try await knowing.value(for: "the first obstacles")
            try await WaitLimit.wait(for: "one client") { engine.userCount == 1 }
            let before = ProcessState.threads.count
            let descriptors = ProcessState.descriptors
            tasks += (1..<10_000).map { _ in start() }
            try await WaitLimit.wait(for: "ten thousand clients") { engine.userCount == 10_000 }
            try #require(ProcessState.engineCount == 1)
            // The threads of Swift's tasks are as many as there are processors.
            let count = ProcessState.threads.count
            try #require(count <= before + 64, "\(before) threads before, \(count) now")
            // Some are open for a moment, such as that of the list itself.
            try #require(ProcessState.descriptors <= descriptors + 16)
            for task in tasks[5000...] { task.cancel() }
            for task in tasks[5000...] { try #require(await task.value(for: "a cancelled task to end") == false) }
            try network.addUplink("eth0", number: 1, metric: 100)
            for task in tasks[..<5000] { try #require(await task.value(for: "a task to pass the gate")) }
            try #require(engine.userCount == 0)
            try ProcessState.waitUntilEnginesAreGone()
        }
    }
}
