// SPDX-License-Identifier: Apache-2.0

import CLimits
import TestTopology

/// The middle of several batches' results: one that was disturbed does not count.
func median(_ batches: Int, _ measure: () -> Double) -> Double {
    (0..<batches).map { _ in measure() }.sorted()[batches / 2]
}

let topology = try Topology()
try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
try topology.ip("route add default via 10.0.0.2")
try topology.ip("-6 route add default via fd00::2")

topology.run {
    let quiet = median(11) { limits_quiet_check(50_000) }
    let ipv4 = median(11) { limits_ipv4_lookup(10_000) }
    let ipv6 = median(11) { limits_ipv6_lookup(10_000) }
    precondition(limits_start_churn(1000) == 0, "no route can be changed")
    let changed = median(5) { limits_lookup_after_change(500) }
    _ = limits_stop_churn()
    print(
        """
        {"quiet_check_ns": \(quiet), "ipv4_lookup_ns": \(ipv4), "ipv6_lookup_ns": \(ipv6), \
        "lookup_after_change_ns": \(changed)}
        """)
}
