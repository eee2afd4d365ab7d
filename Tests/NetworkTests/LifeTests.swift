// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import TestHosts
import TestTopology
import TestWaiting
import Testing

@Suite("A monitor", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct LifeTests {
    @Test("has neither queue nor path before it is started")
    func beforeStart() throws {
        let network = try TestNetwork.wired()
        let monitor = network.monitor()
        #expect(monitor.queue == nil)
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(monitor.currentPath.availableInterfaces.isEmpty)
        #expect(monitor.pathUpdateHandler == nil)
    }

    @Test("calls its handler on its queue, once, and returns the same path")
    func firstUpdate() throws {
        let network = try TestNetwork.wired()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        let queue = recorder.queue
        monitor.pathUpdateHandler = { path in
            dispatchPrecondition(condition: .onQueue(queue))
            recorder.record(path)
        }
        network.topology.run { monitor.start(queue: queue) }
        #expect(monitor.queue === queue)
        let path = try recorder.next()
        #expect(path.status == .satisfied)
        #expect(monitor.currentPath == path)
        try settle(network)
        try queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("calls a late handler with the present path, also after none, and a second handler only with changes")
    func lateHandler() throws {
        let network = try TestNetwork()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        network.topology.run { monitor.start(queue: recorder.queue) }
        try settle(network)
        try recorder.queue.finish()
        recorder.watch(monitor)
        #expect(try recorder.next().status == .unsatisfied)
        recorder.watch(monitor)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        monitor.pathUpdateHandler = nil
        recorder.watch(monitor)
        #expect(try recorder.next().status == .unsatisfied)
        monitor.cancel()
    }

    @Test("ignores a second start")
    func secondStart() throws {
        let network = try TestNetwork()
        let (first, second) = (PathRecorder(), PathRecorder())
        let monitor = network.monitor()
        network.start(monitor, first)
        try first.next()
        network.topology.run { monitor.start(queue: second.queue) }
        #expect(monitor.queue === first.queue)
        try settle(network)
        try first.queue.finish()
        #expect(first.untaken == 0)
        monitor.cancel()
    }

    @Test("makes no call after it was cancelled, and cannot be started again")
    func cancelled() throws {
        let network = try TestNetwork.wired()
        let (monitor, recorder) = network.watch()
        try recorder.next()
        let (fence, fenceRecorder) = network.watch()
        try fenceRecorder.next()

        recorder.queue.sync { monitor.cancel() }
        try network.ip("route del default")
        try fenceRecorder.next()
        network.start(monitor, recorder)
        try settle(network)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        #expect(monitor.currentPath.status == .satisfied)
        fence.cancel()
    }

    @Test("makes no call if it is cancelled before the first")
    func cancelledAtOnce() throws {
        let network = try TestNetwork()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        recorder.queue.suspend()
        network.start(monitor, recorder)
        try settle(network)
        monitor.cancel()
        recorder.queue.resume()
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
    }

    @Test("is cancelled when it is released, and ends the engine")
    func release() throws {
        let network = try TestNetwork()
        let source = network.topology.run { PathSource() }
        let recorder = PathRecorder()
        do {
            let monitor = network.monitor()
            network.start(monitor, recorder)
            try recorder.next()
            #expect(source.namespace.sharedEngine.userCount == 1)
        }
        #expect(source.namespace.sharedEngine.userCount == 0)
    }

    @Test("releases its handler when it is cancelled")
    func handlerLifetime() throws {
        final class Owner: Sendable {}
        let network = try TestNetwork()
        let monitor = network.monitor()
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

    @Test("works beside a hundred others")
    func many() throws {
        let network = try TestNetwork.wired()
        let all = (0..<100).map { _ in (monitor: network.monitor(), recorder: PathRecorder()) }
        for (monitor, recorder) in all { network.start(monitor, recorder) }
        for (_, recorder) in all { #expect(try recorder.next().status == .satisfied) }
        try network.ip("route del default")
        for (_, recorder) in all { #expect(try recorder.next().status == .unsatisfied) }
        for (monitor, _) in all { monitor.cancel() }
    }

    /// Returns when the engine has handled all earlier changes: a new monitor is called after them.
    private func settle(_ network: TestNetwork) throws {
        _ = try network.path()
    }
}
