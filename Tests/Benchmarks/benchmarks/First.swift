// SPDX-License-Identifier: Apache-2.0

import CAllocations
import CLimits
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// First questions with the sockets open: new references, scattered destinations.
func measureFirst(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let four = try first(.v4, in: topology) { limits_ipv4_lookup(200) }
    let six = try first(.v6, in: topology) { limits_ipv6_lookup(200) }
    // The C program does not read what the answers say. Reading and judging them takes some 9,000 instructions here.
    return [
        Row("first getFlags, IPv4", .nanoseconds, four, ratio: 1.5),
        Row("first getFlags, IPv6", .nanoseconds, six, ratio: 1.5),
    ]
}

func first(
    _ family: AddressFamily, in topology: Machine, against limit: () -> Double
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

/// How often a question allocates memory if the answer has to be looked up, each time after another route has changed.
func measureAllocationsAnew(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let reference = try topology.reference("20.1.2.3")
    let changer = try Changer(in: topology)
    let change = Change.route(.replace, "192.0.2.0/24", via: "10.0.0.2", through: try topology.index(of: "eth0"))
    // The kernel announces for a while that the links came up.
    pause(milliseconds: 1500)
    let count = try topology.run {
        func allocations(_ changes: Int) throws -> Int {
            var count = 0
            for _ in 0..<changes {
                try changer.apply(change)
                let before = allocations_of_this_thread()
                _ = try reference.getFlags()
                count += allocations_of_this_thread() - before
            }
            return count
        }
        // The first time, for everything that is made once and kept.
        _ = try allocations(10)
        return try allocations(1_000)
    }
    return [
        Row(
            name: "allocations in 1,000 getFlags, each after a change", unit: .count, ours: Double(count),
            target: .most(0))
    ]
}
