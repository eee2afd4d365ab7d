// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// The engine where the kernel announces nothing: no netlink socket may be bound. Each test is a process of its own.
@Suite("Without announcements", .timeLimit(.minutes(10)), .needs(.namespaces))
struct RecheckingTests {
    private struct Deaf {
        let topology: Machine
        let reference: ReachabilityRef
        let recorder = CallbackRecorder()

        init(interval: Duration) throws {
            topology = try Machine.wired()
            FaultInjection.fail(.bind, with: .permissionDenied, times: .max)
            reference = try topology.reference("192.0.2.1")
            reference.namespace.sharedEngine.recheckInterval.withLock { $0 = interval }
        }
    }

    @Test func `changes are found at an interval, and nothing is done once nothing is watched`() async {
        await #expect(processExitsWith: .success) {
            let deaf = try Deaf(interval: .milliseconds(100))
            try deaf.recorder.watch(deaf.reference)
            try deaf.topology.ip("route add default via 10.0.0.254")
            try #require(try deaf.recorder.next() == .reachable)
            try deaf.topology.ip("link set eth0-peer down")
            try #require(try deaf.recorder.next() == [])
            // The looks after a new watch may have found all that.
            try ProcessState.wait("everything is looked at again") { deaf.reference.statistics.rechecks > 1 }
            try #require(deaf.reference.statistics.events == 0)
            try #require(deaf.reference.statistics.lookupMethod == .netlinkQuestions)
            let engine = try EngineAccess(deaf.reference.namespace)
            let core = try #require(deaf.reference.namespace.sharedEngine.present).core
            try deaf.reference.setDispatchQueue(nil)
            let next = ReceivedValues<BootTime>()
            try ProcessState.wait("no look is due") {
                engine.loop.enqueue { next.record(core.agenda.next) }
                return try next.next() == .distantFuture
            }
        }
    }

    @Test func `changes are found when the client asks for a look`() async {
        await #expect(processExitsWith: .success) {
            let deaf = try Deaf(interval: .seconds(1_000_000))
            try deaf.recorder.watch(deaf.reference)
            try deaf.topology.ip("route add default via 10.0.0.254")
            deaf.reference.recheck()
            try #require(try deaf.recorder.next() == .reachable)
            let watcher = try ReachabilityWatcher()
            var told: [ReachabilityFlags] = []
            try watcher.add(deaf.reference) { told.append($0) }
            try watcher.turn { told == [.reachable] }
            try deaf.topology.ip("route del default")
            watcher.recheck()
            try watcher.turn { told == [.reachable, []] }
            // Of each namespace.
            FaultInjection.reset()
            let second = try Machine.wired()
            FaultInjection.fail(.bind, with: .permissionDenied, times: .max)
            let other = try second.reference("192.0.2.1")
            other.namespace.sharedEngine.recheckInterval.withLock { $0 = .seconds(1_000_000) }
            var toldOfOther: [ReachabilityFlags] = []
            try watcher.add(other) { toldOfOther.append($0) }
            try watcher.turn { toldOfOther == [[]] }
            // The look at a new target is repeated.
            while watcher.isReadable() { try watcher.process() }
            try second.ip("route add default via 10.0.0.254")
            watcher.recheck()
            try watcher.turn { toldOfOther == [[], .reachable] }
            try deaf.reference.setDispatchQueue(nil)
        }
    }

    @Test func `the path is followed`() async {
        await #expect(processExitsWith: .success) {
            let deaf = try Deaf(interval: .milliseconds(100))
            var last: NetworkPath?
            let watcher = try ReachabilityWatcher()
            let source = try deaf.topology.run { try PathSource(ReachabilityOptions()) }
            try watcher.add(source) { last = $0 }
            try watcher.turn { last != nil }
            try #require(last?.view().status != .satisfied)
            try deaf.topology.ip("route add default via 10.0.0.254")
            try watcher.turn { last?.view().status == .satisfied }
            try deaf.topology.ip("address add 10.0.0.9/24 dev eth0")
            try watcher.turn { last!.interfaces.contains { $0.addresses.contains("10.0.0.9/24") } }
        }
    }
}

@Suite("Looking again", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LookingAgainTests {
    /// The look for a new watch is repeated although nothing was announced. A change may come just before.
    @Test func `has the cause of a change that was announced and not read yet`() throws {
        let network = try WatchedNetwork(
            "10.0.0.1/24", "route add 192.0.2.0/24 via 10.0.0.254", pace: .standard)
        try network.settle()
        let reference = try network.reference("192.0.2.1")
        let states = ReceivedValues<ChangeKinds>()
        let freed = try network.engine.loop.block()
        let loop = try network.engine.loop
        let observing = try reference.observe { states.record($0.causes) }
        // The new watch enqueues its first look, and this comes after it. The recheck is then due before the loop waits for
        // descriptors again.
        loop.enqueue {
            loop.enqueue {
                let due = loop.now().advanced(by: Pace.standard.unproved)
                // Before the recheck, even if that is due already.
                loop.schedule(at: BootTime(nanoseconds: 0)) {
                    while loop.now() < due {}
                    #expect(throws: Never.self) { try network.topology.ip("rule add to 192.0.2.1 prohibit") }
                }
            }
        }
        freed.signal()
        #expect(try states.next() == [])
        // The recheck may also be for the routes of `settle`.
        #expect(try states.next().contains(.rule))
        observing.cancel()
    }
}
