// SPDX-License-Identifier: Apache-2.0

import Network
import Observation
import ReachabilityKit
import TestTopology
import TestWaiting
import Testing

@Suite("The sequence of paths", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct SequenceTests {
    @Test("begins with the present path and goes on with each change")
    func changes() async throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let monitor = place.monitor()
        let engine = try Running(place)
        var paths = monitor.makeAsyncIterator()
        #expect(await paths.next()?.status == .satisfied)
        try place.ip("route del default")
        #expect(await paths.next()?.status == .unsatisfied)
        #expect(monitor.queue == nil)
        engine.end()
    }

    @Test("asks for nothing before its first element is")
    func demand() async throws {
        let place = try Surroundings()
        let source = place.topology.run { PathSource() }
        let engine = try Running(place)
        let monitor = place.monitor()
        var paths: NWPathMonitor.Iterator? = monitor.makeAsyncIterator()
        #expect(source.userCount == 1)
        _ = await paths?.next()
        #expect(source.userCount == 2)
        paths = nil
        #expect(source.userCount == 1)
        engine.end()
    }

    @Test("ends with its task")
    func taskCancellation() async throws {
        let place = try Surroundings()
        let source = place.topology.run { PathSource() }
        let engine = try Running(place)
        let monitor = place.monitor()
        let (told, tell) = AsyncStream.makeStream(of: NWPath.self)
        let task = Task {
            for await path in monitor { tell.yield(path) }
        }
        for await _ in told { break }
        task.cancel()
        try await task.value(for: "the sequence to end")
        #expect(source.userCount == 1)
        engine.end()
    }

    @Test("ends with its monitor, and does not begin after its end")
    func monitorCancellation() async throws {
        let place = try Surroundings()
        let engine = try Running(place)
        let monitor = place.monitor()
        var paths = monitor.makeAsyncIterator()
        #expect(await paths.next() != nil)
        monitor.cancel()
        #expect(await paths.next() == nil)
        var others = monitor.makeAsyncIterator()
        #expect(await others.next() == nil)
        engine.end()
    }

    @Test("keeps its monitor for as long as it is asked")
    func temporaryMonitor() async throws {
        let place = try Surroundings()
        let engine = try Running(place)
        var paths = place.monitor().makeAsyncIterator()
        #expect(await paths.next()?.status == .unsatisfied)
        engine.end()
    }
}

@Suite("The observable path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
@MainActor
struct ModelTests {
    @Test("changes where it is observed")
    func observed() async throws {
        let place = try Surroundings()
        let engine = try Running(place)
        let model = NWPathModel(monitor: place.monitor())
        #expect(!model.isConnected)
        try place.wayOut("wwan0", number: 1, metric: 100, type: "wwan")
        try await model.waitUntil { $0.isConnected && $0.isExpensive }
        #expect(model.path.availableInterfaces.map(\.name) == ["wwan0"])
        engine.end()
    }

    @Test("is read without effect by nobody, and ends with its last reference")
    func lifetime() async throws {
        let place = try Surroundings()
        let source = place.topology.run { PathSource() }
        let engine = try Running(place)
        try place.wayOut("eth0", number: 1, metric: 100)
        weak var remembered: NWPathModel?
        do {
            let model = NWPathModel(monitor: place.monitor())
            remembered = model
            #expect(source.userCount >= 1)
            try await model.waitUntil { $0.isConnected }
            // At least: Dispatch's threads may have been born in this network, and others' monitors run there.
            #expect(source.userCount >= 2)
        }
        #expect(remembered == nil)
        engine.end()
    }
}

extension NWPathModel {
    /// Suspends until the condition holds, looking again after each change that is observed.
    fileprivate func waitUntil(_ condition: (NWPathModel) -> Bool) async throws {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let holds = withObservationTracking {
                condition(self)
            } onChange: {
                change.yield()
            }
            if holds { return }
            // A time limit cancels the task, and then nothing waits any more.
            try Task.checkCancellation()
            for await _ in changes { break }
        }
    }
}
