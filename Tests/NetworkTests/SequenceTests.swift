// SPDX-License-Identifier: Apache-2.0

import Glibc
import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("The sequence of paths", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct SequenceTests {
    private let network: TestNetwork
    private let engine: Running

    init() throws {
        network = try TestNetwork()
        engine = try Running(network)
    }

    @Test("begins with the present path and continues with each change")
    func changes() async throws {
        let monitor = network.monitor()
        var paths = monitor.makeAsyncIterator()
        #expect(await paths.next()?.status == .unsatisfied)
        try network.addUplink("eth0", number: 1, metric: 100)
        #expect(await paths.next()?.status == .satisfied)
        try network.ip("route del default")
        #expect(await paths.next()?.status == .unsatisfied)
        #expect(monitor.queue == nil)
    }

    @Test("subscribes when its first element is requested")
    func demand() async throws {
        let source = network.topology.run { PathSource() }
        let monitor = network.monitor()
        var paths: NWPathMonitor.Iterator? = monitor.makeAsyncIterator()
        #expect(source.namespace.sharedEngine.userCount == 1)
        _ = await paths?.next()
        #expect(source.namespace.sharedEngine.userCount == 2)
        paths = nil
        #expect(source.namespace.sharedEngine.userCount == 1)
    }

    @Test("ends with its task")
    func taskCancellation() async throws {
        let source = network.topology.run { PathSource() }
        let monitor = network.monitor()
        let (paths, continuation) = AsyncStream.makeStream(of: NWPath.self)
        let task = Task(priority: .high) {
            for await path in monitor { continuation.yield(path) }
        }
        for await _ in paths { break }
        task.cancel()
        try await task.value(for: "the sequence to end")
        #expect(source.namespace.sharedEngine.userCount == 1)
    }

    @Test("ends with its monitor, and does not begin after its end")
    func monitorCancellation() async throws {
        let monitor = network.monitor()
        var paths = monitor.makeAsyncIterator()
        #expect(await paths.next() != nil)
        monitor.cancel()
        #expect(await paths.next() == nil)
        var others = monitor.makeAsyncIterator()
        #expect(await others.next() == nil)
    }

    @Test("ends where no change can be observed any more")
    func failedLoop() async {
        await #expect(processExitsWith: .success) {
            let network = try TestNetwork()
            let monitor = network.monitor()
            let (paths, continuation) = AsyncStream.makeStream(of: NWPath.self)
            let task = Task(priority: .high) {
                for await path in monitor { continuation.yield(path) }
            }
            for await _ in paths { break }
            let engine = try network.topology.run { try PathSource().engine() }
            // Not by closing its descriptor: libdispatch may get the number for what it waits with.
            FaultInjection.fail(.epollWait, with: .badDescriptor, times: .max)
            engine.loop.enqueue {}
            try await task.value(for: "the sequence to end")
        }
    }

    @Test("keeps its monitor while it is used")
    func temporaryMonitor() async throws {
        var paths = network.monitor().makeAsyncIterator()
        #expect(await paths.next()?.status == .unsatisfied)
    }
}
