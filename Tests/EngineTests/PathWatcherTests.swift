// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("The ways out", .timeLimit(.minutes(10)), .needs(.namespaces))
struct PathWatcherTests {
    private final class Subscriber: PathSubscriber {
        let paths = ReceivedValues<NetworkPath>()

        func observe(_ path: NetworkPath) { paths.record(path) }
    }

    @Test func `are not looked at any more when the last subscriber has left, whatever was due`() throws {
        let network = try WatchedNetwork()
        let engine = try network.engine()
        let subscriber = Subscriber()
        engine.add(subscriber)
        try subscriber.paths.next()
        let anybody = try network.reference("192.0.2.1")
        let before = anybody.statistics.inventories
        #expect(before > 0)
        engine.loop.enqueue {
            engine.core.paths.lookSoon()
            engine.core.paths.remove(subscriber)
        }
        try network.settle()
        #expect(anybody.statistics.inventories == before)
        network.releaseEngine()
        try network.end()
    }
}
