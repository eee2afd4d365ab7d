// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import TestTopology
import Testing

@Suite("A monitor", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct LifeTests {
    /// What is read at once has to be the path of that moment, not one that was read before.
    @Test("knows the path before it is started, right after that, and the last one after it was cancelled")
    func pathAtOnce() throws {
        let network = try TestNetwork.wired()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        #expect(monitor.queue == nil)
        #expect(monitor.pathUpdateHandler == nil)
        #expect(monitor.currentPath.names == ["eth0"])
        try network.ip("route del default")
        #expect(monitor.currentPath.status == .unsatisfied)
        try network.ip("route add default via 10.0.1.254")
        let engine = try network.topology.run { try PathSource().engine() }
        let freed = try engine.loop.block()
        network.start(monitor, recorder)
        #expect(monitor.currentPath.names == ["eth0"])
        freed.signal()
        #expect(try recorder.next() == monitor.currentPath)
        monitor.cancel()
        #expect(monitor.queue == nil)
        try network.ip("route del default")
        #expect(monitor.currentPath.names == ["eth0"])
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
        try network.topology.settle()
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
        try network.topology.settle()
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
        try network.topology.settle()
        try first.queue.finish()
        #expect(first.untaken == 0)
        monitor.cancel()
    }

    @Test("makes no call after it was cancelled, and hears the present path first when it is started again")
    func cancelled() throws {
        let network = try TestNetwork.wired()
        let (monitor, recorder) = network.watch()
        try recorder.next()
        let (fence, fenceRecorder) = network.watch()
        try fenceRecorder.next()

        recorder.queue.sync { monitor.cancel() }
        try network.ip("route del default")
        try fenceRecorder.next()
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        #expect(monitor.currentPath.status == .satisfied)
        // Its handler is the one that it had.
        let second = DispatchQueue(label: "second")
        network.topology.run { monitor.start(queue: second) }
        #expect(monitor.queue === second)
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(try recorder.next().status == .unsatisfied)
        try network.ip("route add default via 10.0.1.254")
        #expect(try recorder.next().status == .satisfied)
        monitor.cancel()
        fence.cancel()
    }

    @Test("works if it is cancelled before its first start, and is heard once however often it was started")
    func restarted() throws {
        let network = try TestNetwork.wired()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        for _ in 0..<3 {
            monitor.cancel()
            network.start(monitor, recorder)
        }
        try recorder.next()
        try network.ip("route del default")
        // Each start may have been heard.
        try recorder.next { $0.status == .unsatisfied }
        try network.topology.settle()
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("makes no call if it is cancelled before the first")
    func cancelledAtOnce() throws {
        let network = try TestNetwork()
        let recorder = PathRecorder()
        let monitor = network.monitor()
        recorder.queue.suspend()
        network.start(monitor, recorder)
        try network.topology.settle()
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

    @Test("keeps its handler when it is cancelled, and releases it at its end")
    func handlerLifetime() throws {
        final class Owner: Sendable {}
        let network = try TestNetwork()
        weak var remembered: Owner?
        do {
            let monitor = network.monitor()
            do {
                let owner = Owner()
                remembered = owner
                monitor.pathUpdateHandler = { _ in withExtendedLifetime(owner) {} }
            }
            monitor.cancel()
            #expect(remembered != nil)
        }
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
}
