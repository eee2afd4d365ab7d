// SPDX-License-Identifier: Apache-2.0

import CLimits
import NetworkFacts
import ReachabilityKit
import TestTopology

/// Asking for the first time, with the sockets open: fresh references, scattered destinations.
func measureFirst(_ stage: Stage) throws -> [Row] {
    let topology = try Topology.office()
    let four = try first(.v4, in: topology) { limits_ipv4_lookup(200) }
    let six = try first(.v6, in: topology) { limits_ipv6_lookup(200) }
    return [
        Row(
            name: "first getFlags, IPv4", unit: .nanoseconds, ours: four.ours, limit: four.limit, target: .ratio(1.25)),
        Row(name: "first getFlags, IPv6", unit: .nanoseconds, ours: six.ours, limit: six.limit, target: .ratio(1.25)),
    ]
}

func first(
    _ family: AddressFamily, in topology: Topology, against limit: () -> Double
) throws -> (ours: Double, limit: Double) {
    _ = try topology.references(10, family).map { try $0.getFlags() }
    return try topology.run {
        try inTurns {
            let references = try topology.references(200, family)
            return try duration { for reference in references { _ = try reference.getFlags() } } / 200
        } against: {
            try checked(limit())
        }
    }
}
