// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("The identity of a path", .timeLimit(.minutes(10)), .needs(.namespaces))
struct PathIdentityTests {
    private let topology: Machine

    init() throws { topology = try Machine.routed() }

    private func identity() throws -> NetworkPath.Identity { try topology.run { try PathSource().current().identity } }

    @Test(arguments: [
        ["route replace default via 10.0.0.253"],
        ["address change 10.0.0.1/24 dev eth0 valid_lft 3600 preferred_lft 60"],
        ["address add 10.0.0.7/24 dev eth0"], ["route add 203.0.113.0/24 via 10.0.0.253"], ["link set eth0 mtu 1400"],
        ["link set eth0-peer down"], ["link set eth0 mode dormant", "link set eth0 state dormant"],
        ["link add eth1 type veth", "address add 10.0.1.1/24 dev eth1", "link set eth1 up"],
        ["route del default", "route add default via 10.0.0.254"],
    ])
    func `stays as it was`(commands: [String]) throws {
        let before = try identity()
        for command in commands { try topology.ip(command) }
        #expect(try identity() == before)
    }

    @Test(arguments: [
        ["route del default"], ["address del 10.0.0.1/24 dev eth0"],
        ["address add 10.0.0.7/24 dev eth0", "route replace default via 10.0.0.254 src 10.0.0.7"],
        [
            "link add eth1 type veth peer name eth1-peer", "address add 10.0.1.1/24 dev eth1", "link set eth1-peer up",
            "link set eth1 up", "route replace default via 10.0.1.254",
        ],
        [
            "link del eth0", "link add eth0 type veth peer name eth0-peer", "address add 10.0.0.1/24 dev eth0",
            "link set eth0-peer up", "link set eth0 up", "route add default via 10.0.0.254",
        ],
        ["-6 address add 2001:db8::1/64 dev eth0 nodad", "-6 route add default via 2001:db8::2"],
    ])
    func `is another`(commands: [String]) throws {
        let before = try identity()
        for command in commands { try topology.ip(command) }
        #expect(try identity() != before)
    }

    @Test func `is another when the source address of IPv6 is rotated, and those who watch the path are told`() throws {
        try topology.ip("-6 address add 2001:db8::1/64 dev eth0 nodad")
        try topology.ip("-6 route add default via 2001:db8::2")
        try topology.waitForOwn(["2001:db8::1/64"])
        let recorder = PathRecorder()
        let subscription = try PathSource(topology.options).observe(recorder.record)
        defer { subscription.cancel() }
        let before = try recorder.next().identity
        // As for a temporary address of RFC 8981.
        try topology.ip("-6 address add 2001:db8::7/64 dev eth0 nodad")
        try topology.waitForOwn(["2001:db8::7/64"])
        try topology.ip("-6 address change 2001:db8::1/64 dev eth0 preferred_lft 0")
        try topology.waitForRoute(to: .v6(IPv6Address(high: 0x2000_0000_0000_0000, low: 0))) {
            $0.route?.source?.description == "2001:db8::7"
        }
        let after = try identity()
        #expect(after != before)
        try recorder.next { $0.identity == after }
    }

    @Test func `is the same again at a network that one comes back to`() throws {
        let (before, numberBefore) = (try identity(), try identity().number)
        try topology.ip("route del default")
        let without = try identity()
        #expect(without != before && without.number != numberBefore && without.number != 0)
        try topology.ip("route add default via 10.0.0.254")
        let back = try identity()
        #expect(back == before && back.number == numberBefore)
    }

    @Test func `as a number is kept by every reader of JSON`() throws {
        for _ in 0..<64 { #expect(try (1...1 << 53).contains(identity().number)) }
    }
}

@Suite("A machine that has slept", .timeLimit(.minutes(10)), .needs(.namespaces))
struct WakingTests {
    private let network: WatchedNetwork
    private let source: PathSource
    private let time = ManualTime()
    private let jumps = OpenedJumps()
    private let recorder = PathRecorder()

    init() throws {
        network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        source = try PathSource(network.topology.options)
        source.stand(in: time, jumps)
    }

    /// The kernel cancels the timer, and the engine has looked.
    private func jump() throws {
        jumps.jump()
        try network.settle()
        _ = try network.engine.afterwards {}
    }

    @Test func `tells those who watch the path that it has another identity, and not those who watch flags`() throws {
        try network.watch("192.0.2.1")
        let subscription = try source.observe(recorder.record)
        let first = try recorder.next()
        time.sleep(.seconds(3600))
        jumps.jump()
        let second = try recorder.next()
        #expect(second.identity != first.identity && second.view() == first.view())
        #expect(try source.current().identity == second.identity)
        try network.settle()
        #expect(network.recorder.untaken == 0 && recorder.untaken == 0)
        try network.topology.ip("route del default")
        #expect(try network.recorder.next() == [])
        subscription.cancel()
    }

    @Test func `for a minute at most, or several times, or whose clock was set, tells nobody`() throws {
        let subscription = try source.observe(recorder.record)
        let first = try recorder.next()
        for _ in 0..<3 {
            time.sleep(.seconds(60))
            try jump()
        }
        time.advance(.seconds(3600))
        try jump()
        #expect(recorder.untaken == 0)
        #expect(try source.current().identity == first.identity)
        subscription.cancel()
    }

    @Test func `tells a client on a loop of its own`() throws {
        let watcher = try ReachabilityWatcher()
        var told: [NetworkPath.Identity] = []
        try watcher.add(source) { told.append($0.identity) }
        try watcher.turn { told.count == 1 }
        // A look that is repeated would find it out, too.
        try watcher.turn { !watcher.isReadable(within: 50) }
        time.sleep(.seconds(61))
        jumps.jump()
        try watcher.turn { told.count == 2 }
        #expect(told[0] != told[1])
        // It sleeps until the next jump.
        try watcher.turn { !watcher.isReadable(within: 50) }
    }

    @Test func `is found out by the next question, too`() throws {
        let before = try source.current().identity
        time.sleep(.seconds(61))
        let after = try source.current().identity
        #expect(after != before)
        #expect(try source.current().identity == after)
        #expect(jumps.count == 0)
    }

    @Test func `is listened to with one descriptor, while the path is watched`() throws {
        let others = try (0..<3).map { _ in try source.observe(recorder.record) }
        try recorder.next()
        #expect(jumps.count == 1)
        others.forEach { $0.cancel() }
        _ = try network.engine.afterwards {}
        #expect(jumps.areClosed)
    }

    @Test func `is found out at the next change where the timer is refused`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.routed()
            let (source, time, recorder) = (try PathSource(topology.options), ManualTime(), PathRecorder())
            source.namespace.sharedEngine.sleepSource.withLock { $0.counter = SleepCounter(time) }
            let access = try source.engine()
            FaultInjection.fail(.timerDescriptor, with: .invalidArgument)
            let subscription = try source.observe(recorder.record)
            let first = try recorder.next()
            #expect(throws: Never.self, "the failure has come") { _ = try ClockJumps() }
            time.sleep(.seconds(61))
            try topology.ip("route replace default via 10.0.0.253")
            try #require(recorder.next().identity != first.identity)
            withExtendedLifetime((access, subscription)) {}
        }
    }

    /// Setting the clock of the machine is left to the lab.
    @Test func `cancels a timer that never expires`() throws {
        let jumps = try ClockJumps()
        for _ in 0..<2 {
            let told = try Files.contents(of: "/proc/self/fdinfo/\(jumps.timer.rawDescriptor)")
            // CLOCK_REALTIME, TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET (timerfd_show in fs/timerfd.c).
            let lines = String(decoding: told, as: UTF8.self).split(separator: "\n")
            #expect(lines.contains("clockid: 0") && lines.contains("settime flags: 03"))
            #expect(topology_wait_readable(jumps.timer.rawDescriptor, 0) == 0)
            jumps.timer.arm(at: BootTime(nanoseconds: 0))
            #expect(topology_wait_readable(jumps.timer.rawDescriptor, WaitLimit.milliseconds) == 1)
            try jumps.timer.armForJumps()
        }
    }
}

extension PathSource {
    /// Gives the namespace clocks of a test, and notes its timers.
    fileprivate func stand(in time: ManualTime, _ jumps: OpenedJumps) {
        namespace.sharedEngine.sleepSource.withLock { source in
            source.counter = SleepCounter(time)
            source.openJumps = { () throws(Errno) in try jumps.open() }
        }
    }
}

/// What has been opened to hear of jumps.
private final class OpenedJumps: Sendable {
    private struct Entry {
        weak var jumps: ClockJumps?
    }

    private let entries = Mutex<[Entry]>([])

    func open() throws(Errno) -> ClockJumps {
        let jumps = try ClockJumps()
        entries.withLock { $0.append(Entry(jumps: jumps)) }
        return jumps
    }

    /// Makes each readable, as the kernel does.
    func jump() {
        for entry in entries.withLock(\.self) { entry.jumps?.timer.arm(at: BootTime(nanoseconds: 0)) }
    }

    var count: Int { entries.withLock(\.count) }
    var areClosed: Bool { entries.withLock { $0.allSatisfy { $0.jumps == nil } } }
}
