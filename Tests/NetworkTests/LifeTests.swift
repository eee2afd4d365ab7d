// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import TestHosts
import TestTopology
import TestWaiting
import Testing

@Suite("A monitor", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct LifeTests {
    @Test("knows neither queue nor path before it is started")
    func beforeStart() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let monitor = place.monitor()
        #expect(monitor.queue == nil)
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(monitor.currentPath.availableInterfaces.isEmpty)
        #expect(monitor.pathUpdateHandler == nil)
    }

    @Test("tells its handler on its queue, once, and has the same path for whoever asks")
    func firstUpdate() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let recorder = PathRecorder()
        let monitor = place.monitor()
        let queue = recorder.queue
        monitor.pathUpdateHandler = { path in
            dispatchPrecondition(condition: .onQueue(queue))
            recorder.record(path)
        }
        place.topology.run { monitor.start(queue: queue) }
        #expect(monitor.queue === queue)
        let path = try recorder.next()
        #expect(path.status == .satisfied)
        #expect(monitor.currentPath == path)
        try settle(place)
        try queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("tells a handler that came late what it has missed, and a second one nothing it was told")
    func lateHandler() throws {
        let place = try Surroundings()
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.topology.run { monitor.start(queue: recorder.queue) }
        try settle(place)
        try recorder.queue.finish()
        recorder.watch(monitor)
        #expect(try recorder.next().status == .unsatisfied)
        recorder.watch(monitor)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("ignores a second start")
    func secondStart() throws {
        let place = try Surroundings()
        let (first, second) = (PathRecorder(), PathRecorder())
        let monitor = place.monitor()
        place.start(monitor, first)
        try first.next()
        place.topology.run { monitor.start(queue: second.queue) }
        #expect(monitor.queue === first.queue)
        try settle(place)
        try first.queue.finish()
        #expect(first.untaken == 0)
        monitor.cancel()
    }

    @Test("says nothing after it was cancelled, and cannot be started again")
    func cancelled() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.start(monitor, recorder)
        try recorder.next()
        let (fence, fenceRecorder) = (place.monitor(), PathRecorder())
        place.start(fence, fenceRecorder)
        try fenceRecorder.next()

        recorder.queue.sync { monitor.cancel() }
        try place.ip("route del default")
        try fenceRecorder.next()
        place.start(monitor, recorder)
        try settle(place)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        #expect(monitor.currentPath.status == .satisfied)
        fence.cancel()
    }

    @Test("that is cancelled before it could say anything says nothing")
    func cancelledAtOnce() throws {
        let place = try Surroundings()
        let recorder = PathRecorder()
        let monitor = place.monitor()
        recorder.queue.suspend()
        place.start(monitor, recorder)
        try settle(place)
        monitor.cancel()
        recorder.queue.resume()
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
    }

    @Test("is cancelled by letting go of it, and takes the engine along")
    func release() throws {
        let place = try Surroundings()
        let source = place.topology.run { PathSource() }
        let recorder = PathRecorder()
        do {
            let monitor = place.monitor()
            place.start(monitor, recorder)
            try recorder.next()
            #expect(source.userCount == 1)
        }
        #expect(source.userCount == 0)
    }

    @Test("lets go of its handler when it is cancelled")
    func handlerLifetime() throws {
        final class Owner: Sendable {}
        let place = try Surroundings()
        let monitor = place.monitor()
        weak var remembered: Owner?
        do {
            let owner = Owner()
            remembered = owner
            monitor.pathUpdateHandler = { _ in withExtendedLifetime(owner) {} }
        }
        #expect(remembered != nil)
        monitor.cancel()
        #expect(remembered == nil)
    }

    @Test("does not hinder a hundred others")
    func many() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let all = (0..<100).map { _ in (monitor: place.monitor(), recorder: PathRecorder()) }
        for (monitor, recorder) in all { place.start(monitor, recorder) }
        for (_, recorder) in all { #expect(try recorder.next().status == .satisfied) }
        try place.ip("route del default")
        for (_, recorder) in all { #expect(try recorder.next().status == .unsatisfied) }
        for (monitor, _) in all { monitor.cancel() }
    }

    /// Returns when the engine has looked at everything that was announced before: a monitor that comes now is told
    /// after that.
    private func settle(_ place: Surroundings) throws {
        _ = try place.path()
    }
}
