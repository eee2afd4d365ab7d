// SPDX-License-Identifier: Apache-2.0

import CLimits
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// Checks the programs that the benchmarks compare with: they get answers, not refusals.
@Suite("The limits", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LimitsTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
    }

    @Test func `are refused where there is no route`() {
        #expect(topology.run { limits_ipv4_lookup(10) } < 0)
        #expect(topology.run { limits_ipv6_lookup(10) } < 0)
    }

    @Test func `are answered where there is a route`() throws {
        try topology.ip("route add default via 10.0.0.2")
        try topology.ip("-6 route add default via fd00::2")
        #expect(topology.run { limits_ipv4_lookup(10) } > 0)
        #expect(topology.run { limits_ipv6_lookup(10) } > 0)
        #expect(topology.run { limits_quiet_check(10) } > 0)
    }

    @Test func `have changes to be measured beside`() throws {
        try topology.ip("route add default via 10.0.0.2")
        let (median, changes) = topology.run {
            #expect(limits_start_churn(1000) == 0)
            return (limits_lookup_after_change(10), limits_stop_churn())
        }
        #expect(median > 0)
        // Each change is counted a moment after it was made, so the last one may be missing.
        #expect(changes >= 9)
        #expect(try topology.route(to: IPAddress(text: "198.18.0.1")) != .unreachable(.blackhole))
    }
}
