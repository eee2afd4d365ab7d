// SPDX-License-Identifier: Apache-2.0

import CLimits
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// The same questions with very many routes. Only the kernel's own lookup may cost more.
func measureManyRoutes(_ stage: Stage) throws -> [Row] {
    let count = stage.isFull ? 1_000_000 : 100_000
    let (small, large) = (try Machine.office(), try Machine.office())
    // /24s through the default route's gateway, from 20.0.0.0 on. The addresses asked about are inside them.
    _ = try large.run { try checked(limits_change_routes(1, 0x1400_0000, 24, Int32(count), 0x0A00_0002)) }
    let before = residentMemory()
    let opening = try inTurns(51) {
        try timeToOpen(large)
    } against: {
        try timeToOpen(small)
    }
    let first = try first(.v4, in: large) { limits_ipv4_lookup(200) }
    let beside = try churn(in: large)
    let grown = residentMemory() - before
    let routes = stage.isFull ? "1,000,000 routes" : "100,000 routes"
    return [
        Row("\(routes): first getFlags, IPv4", .nanoseconds, first, ratio: 1.5),
        Row("\(routes): getFlags beside 1,000 route changes a second", .nanoseconds, beside, ratio: 2),
        Row("\(routes): opening the sockets; limit: beside 10 routes", .microseconds, opening, per: 1000, ratio: 1.1),
        Row(name: "\(routes): memory grown", unit: .megabytes, ours: grown / 1e6, target: .most(2)),
    ]
}

/// The time from the start to the first answer.
private func timeToOpen(_ topology: Machine) throws -> Double {
    try topology.run {
        let namespace = NamespaceContext(identity: nil, handle: nil)
        return try duration {
            let reference = ReachabilityRef(.target(Target(.random(.v4))), keys: RoutingKeys(), namespace: namespace)
            _ = try reference.getFlags()
        }
    }
}
