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
        let before = anybody.statistics.interfaceListings
        #expect(before > 0)
        engine.loop.enqueue {
            engine.core.paths.lookSoon()
            engine.core.paths.remove(subscriber)
        }
        try network.settle()
        #expect(anybody.statistics.interfaceListings == before)
        network.releaseEngine()
        try network.end()
    }

    /// The kernel announces the end of a route half a minute late.
    @Test func `are fewer when the lifetime of a default route has ended, also after a target's`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "2001:db8::1/64")
        try network.topology.ip("-6 route add default via 2001:db8::2 expires 4")
        try network.topology.ip("-6 route add 2001:db8:1::/48 via 2001:db8::2 expires 2")
        let engine = try network.engine()
        let subscriber = Subscriber()
        engine.add(subscriber)
        let reference = try network.reference("2001:db8:1::1")
        try network.recorder.watch(reference)
        #expect(try subscriber.paths.next().ipv6 != nil)
        #expect(try subscriber.paths.next().ipv6 == nil)
        engine.remove(subscriber)
        try reference.setDispatchQueue(nil)
        network.releaseEngine()
        try network.end()
    }
}
