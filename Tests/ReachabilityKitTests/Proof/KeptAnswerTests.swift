// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Synchronization
import TestTopology
import TestWaiting
import Testing

@testable import ReachabilityKit

/// To which question a kept answer belongs.
@Suite("A kept answer", .timeLimit(.minutes(10)), .needs(.namespaces))
struct KeptAnswerTests {
    private let target = Target(IPAddress(text: "127.0.0.1"))

    private func kernel() throws -> KernelAccess {
        try Topology().run {
            try KernelAccess(
                deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in try SocketDefaults(in: nil) }
            ) {
                () throws(NetlinkError) in throw .answersLost
            }
        }
    }

    /// Keeps an answer, which takes a second question under the same generation.
    private func keep(in cell: borrowing AnswerCell, _ kernel: KernelAccess, tag: UInt64 = 0) throws {
        kernel.freshness!.lookupDelay.store(0, ordering: .relaxed)
        for _ in 0..<3 {
            _ = try kernel.verdict(on: CollectionOfOne(target), keys: RoutingKeys(), keptIn: cell, tag: tag)
        }
        try #require(kernel.provedFlags(in: cell, tag: tag) == .own)
    }

    @Test func `is not taken for one about a name's other addresses`() throws {
        let cell = AnswerCell()
        let kernel = try kernel()
        try keep(in: cell, kernel, tag: 1)
        #expect(kernel.provedFlags(in: cell, tag: 2) == nil)
    }

    @Test func `is not taken for one of another namespace's kernel, in which as much has happened`() throws {
        let cell = AnswerCell()
        let kernels = [try kernel(), try kernel()]
        try keep(in: cell, kernels[0])
        #expect(kernels[1].provedFlags(in: cell) == nil)
    }

    @Test func `is not settled by a request during which something changed`() throws {
        let topology = try Topology()
        let freshness = try topology.run { try Freshness.whole() }
        var requests = 0
        _ = try freshness.begin(after: nil) { requests += 1 }
        _ = try freshness.begin(after: nil) {
            requests += 1
            #expect(throws: Never.self) { try topology.ip("route add unreachable 192.0.2.1") }
            _ = freshness.beginQuestion(emptying: true)
        }
        for expected in [2, 2] {
            _ = try freshness.begin(after: nil) { requests += 1 }
            #expect(requests == expected)
        }
    }

    /// Two answers without a lifetime, more than a tick apart, say that there is none. They have to be about the same route.
    @Test func `without a lifetime counts from the second on, and not after another of the name's addresses`() throws {
        let freshness = try Topology().run { try Freshness.whole() }
        #expect(try freshness.begin(after: nil) {} == nil)
        var timed = TimedVerdict(verdict: Verdict(flags: .routed, reason: .throughGateway))
        timed.lifetime = .uncertain
        let earlier = try #require(freshness.begin(after: nil) {})
        let first = try #require(freshness.keep(timed, under: earlier, tag: 1, after: nil))
        #expect(freshness.proved(first) == nil)
        let twoTicks = Duration.nanoseconds(2_000_000_000 / clockTicksPerSecond)
        let moment = SystemTime().now().advanced(by: twoTicks)
        try WaitLimit.wait(for: "two ticks to pass") { SystemTime().now() >= moment }
        let permit = try #require(freshness.begin(after: first) {})
        for (tag, flags) in [(1, .routed), (2, nil)] as [(UInt64, ReachabilityFlags?)] {
            let second = try #require(freshness.keep(timed, under: permit, tag: tag, after: first))
            #expect(freshness.proved(second) == flags)
        }
    }

    /// A new IPv6 route is announced before lookups find it.
    @Test func `is not kept for an IPv6 route directly after a change`() throws {
        let freshness = try Topology().run { try Freshness.whole() }
        #expect(try freshness.begin(after: nil) {} == nil)
        let permit = try #require(try freshness.begin(after: nil) {})
        var timed = TimedVerdict(verdict: Verdict(flags: .routed, reason: .throughGateway))
        #expect(freshness.keep(timed, under: permit, after: nil) != nil)
        timed.involvesIPv6 = true
        #expect(freshness.keep(timed, under: permit, after: nil) == nil)
        freshness.lookupDelay.store(0, ordering: .relaxed)
        #expect(freshness.keep(timed, under: permit, after: nil) != nil)
    }
}

extension Freshness {
    /// One that hears everything.
    fileprivate static func whole() throws -> Freshness {
        var hearing = Hearing.nothing
        return try #require(try Freshness(&hearing))
    }
}
