// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// What the scenes (Tests/Scenes) cannot make of the table of announcements in Docs/Behaviour.md.
@Suite("A callback comes exactly once", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SilentChangeTests {
    @Test func `where a link moves to another namespace`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let other = try Machine()
        try network.watch("192.0.2.1")
        try network.topology.ip("link set eth0 netns \(other.namespacePath)")
        #expect(try network.recorder.next() == [])
    }

    @Test func `where the loopback goes down, for IPv6 alone`() throws {
        let topology = try Machine()
        let (six, four) = (CallbackRecorder(), CallbackRecorder())
        let references = try topology.run {
            (try ReachabilityRef(address: "::1"), try ReachabilityRef(address: "127.0.0.1"))
        }
        try six.watch(references.0)
        try four.watch(references.1)
        try topology.ip("link set lo down")
        #expect(try six.next() == [])
        try topology.ip("link set lo up")
        #expect(try six.next() == [.reachable, .isDirect, .isLocalAddress])
        #expect(try references.1.getFlags() == [.reachable, .isDirect, .isLocalAddress])
        try four.finishDeliveries()
        #expect(four.all == [])
        try references.0.setDispatchQueue(nil)
        try references.1.setDispatchQueue(nil)
    }

    @Test(.needs(.otherUsers)) func `where a rule is for the owner of the sockets of the thread that scheduled it`()
        throws
    {
        let network = try WatchedNetwork(
            "10.0.0.1/24", "route add default via 10.0.0.254", "route add prohibit default table 1000")
        let reference = try network.reference("192.0.2.1")
        try CallingThread.asUserOfFiles(1000) { try network.watch(reference) }
        try network.topology.ip("rule add uidrange 1000-1999 table 1000 priority 100")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("rule delete priority 100")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("rule add uidrange 0-0 table 1000 priority 100")
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }

    /// The kernel announces the address whose lifetime the advertisement renews, and nothing of the route. One that has ended is
    /// still there for half a minute.
    @Test func `where a router shortens the lifetime of its route, and advertises it again`() throws {
        let (network, router) = (try WatchedNetwork(), try Machine())
        // Otherwise the collection of routes that have ended announces them within half a minute.
        try network.topology.set("net.ipv6.route.gc_interval", 3600)
        try network.topology.wire("eth0", address: "fe80::2/64", peerAddress: "fe80::1/64", in: router)
        let path = ReceivedValues<Bool>()
        let token = try network.topology.run { try PathSource().observe { path.record($0.ipv6 != nil) } }
        defer { token.cancel() }
        try network.watch("2001:db8:8::1")
        #expect(try path.next() == false)
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        #expect(try network.recorder.next() == .reachable)
        try WaitLimit.wait(for: "the path") { try path.next() }
        // The next one could be the first after an announcement that was read late.
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        try network.settle()
        try network.finishRechecks()
        try router.advertiseRouter(on: "eth0-peer", seconds: 2)
        #expect(try network.recorder.next() == [])
        try WaitLimit.wait(for: "the end of the path") { try !path.next() }
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        #expect(try network.recorder.next() == .reachable)
        try WaitLimit.wait(for: "the path") { try path.next() }
    }
}

@Suite("Watched together", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SharedLookupTests {
    @Test func `equal addresses share their lookups, and each is called back`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let watched = try (0..<10).map { _ in (try network.reference("192.0.2.1"), CallbackRecorder()) }
        for (reference, recorder) in watched { try network.watch(reference, on: recorder) }
        try network.settle()
        try network.finishRechecks()
        let before = watched[0].0.statistics
        // The fence is not among them.
        try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        for (_, recorder) in watched { #expect(try recorder.next() == .reachable) }
        let after = watched[0].0.statistics
        let looks = after.evaluationPasses - before.evaluationPasses
        #expect(looks > 0 && after.evaluations - before.evaluations == looks)
        withExtendedLifetime(network) { #expect(after.deliveries - before.deliveries == 10) }
    }
}
