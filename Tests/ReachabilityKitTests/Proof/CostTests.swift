// SPDX-License-Identifier: Apache-2.0

import CAllocationCount
import CSystemCallCount
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The system calls for one answer, in an ordinary program.
@Suite(
    "System calls", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .disabled(if: Sanitizer.isOn, "a sanitizer makes calls of its own"))
struct SystemCallTests {
    private static func calls(_ kind: String, _ target: String, ipv6: Bool) throws -> [String] {
        let route6 = ipv6 ? "-6 route add default via fd00::254 dev eth0" : ""
        let wired = try Wired(ipv6: ipv6, "route add default via 10.0.0.254\n\(route6)")
        let words = [BuiltProduct.path("asking"), kind, target]
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var numbers = [Int](repeating: -1, count: 100)
        let (count, error) = wired.topology.run {
            let count = unsafe system_calls_of(arguments, &numbers, Int32(numbers.count))
            return (Int(count), errno)
        }
        try #require(count >= 0, "\(Errno(rawValue: error))")
        return numbers.prefix(count).map { unsafe String(cString: system_call_name($0)) }
    }

    private static func expect(
        _ expected: [String], of kind: String, _ target: String, ipv6: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let seen = try calls(kind, target, ipv6: ipv6)
        #expect(seen == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["8.8.8.8", "2001:db8::1", "default", "10.0.0.1,8.8.8.8"])
    func `asking again is one of them`(_ target: String) throws {
        try Self.expect(["epoll_wait"], of: "again", target)
    }

    /// Each destination takes two requests in one message: for the hop that is taken, and for the route in its table.
    private static let question = ["send", "receive", "receive"]

    @Test(
        "asking for the first time is a question and its answer, and for a pair two of them",
        arguments: [
            ("8.8.8.8", question), ("2001:db8::1", question), ("default", question),
            ("10.0.0.1,8.8.8.8", question + question),
        ])
    func first(_ target: String, questions: [String]) throws {
        try Self.expect(questions, of: "first", target)
    }

    /// A route for some sources needs an address for which it was made. The addresses stay known.
    @Test func `an unreachable IPv6 address takes one question on a machine without IPv6`() throws {
        try Self.expect(Self.question, of: "first", "2001:db8::1", ipv6: false)
    }

    @Test(arguments: ["8.8.8.8", "2001:db8::1"])
    func `asking after a change empties the queue before`(_ target: String) throws {
        // The first time tells that the answer is not proved, the second that there is something to empty.
        try Self.expect(["epoll_wait", "epoll_wait", "receive", "receive"] + Self.question, of: "changed", target)
    }
}

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

    @Test(arguments: ["8.8.8.8", "2001:db8::1", "default", "10.0.0.1,8.8.8.8"])
    func `allocates nothing in ten thousand calls`(_ target: String) throws {
        let wired = try Wired("route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0")
        let reference = try wired.view.reference(target)
        // An IPv6 answer is kept when the last announcement is 100 ms old (`Freshness.lookupDelay`), and asked for again after two
        // clock ticks, because its route may be in the last tick of its life.
        try WaitLimit.wait(for: "the answer to be kept") {
            _ = try reference.getFlags()
            return reference.keptFlags != nil
        }
        #expect(try allocations(10_000, of: reference) == 0)
    }

    @Test func `is counted where it does allocate`() {
        let before = allocation_count()
        let text = [String](repeating: "a string too long to be kept in place", count: 100)
        #expect(allocation_count() > before)
        #expect(text.count == 100)
    }
}
