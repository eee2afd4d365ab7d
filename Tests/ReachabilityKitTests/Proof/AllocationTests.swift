// SPDX-License-Identifier: Apache-2.0

import CAllocationCount
import LinuxSystem
import ReachabilityKit
import TestTopology
import Testing

/// Counts allocations of the asking thread only, so other tests do not matter.
@Suite(
    "Asking again", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .enabled(if: allocation_count_works() == 1, "allocations cannot be counted under a sanitizer"))
struct AllocationTests {
    private func allocations(_ calls: Int, of reference: ReachabilityRef) throws -> UInt64 {
        var last: ReachabilityFlags = []
        let before = allocation_count()
        for _ in 0..<calls { last = try reference.getFlags() }
        let count = allocation_count() - before
        #expect(last == .routed)
        return count
    }

    @Test(
        "allocates nothing in ten thousand calls", arguments: ["8.8.8.8", "2001:db8::1", "default", "10.0.0.1,8.8.8.8"])
    func repeated(_ target: String) throws {
        let wired = try Wired("route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0")
        let reference = try wired.view.reference(target)
        // An IPv6 route may be in its last clock tick, so its answer is asked for again after two ticks.
        let settled = SystemTime().now().advanced(by: .milliseconds(3 * 1000 / clockTicksPerSecond))
        while SystemTime().now() < settled { _ = try reference.getFlags() }
        // The kernel may announce the end of a link's setup in between. Then one answer is asked for again.
        let counts = try (0..<5).map { _ in try allocations(10_000, of: reference) }
        #expect(counts.contains(0), "\(counts)")
    }

    @Test("is counted where it does allocate")
    func counts() {
        let before = allocation_count()
        let text = [String](repeating: "a string too long to be kept in place", count: 100)
        #expect(allocation_count() > before)
        #expect(text.count == 100)
    }
}
