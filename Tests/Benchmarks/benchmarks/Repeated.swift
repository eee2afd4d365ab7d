// SPDX-License-Identifier: Apache-2.0

import CAllocations
import CLimits
import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// Repeated questions while nothing changes.
func measureRepeated(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    var rows: [Row] = []
    for (name, address) in [("IPv4", "20.1.2.3"), ("IPv6", "2a00::1")] {
        let reference = try topology.reference(address)
        // The first answer is not kept yet, and an IPv6 one is looked up twice before it counts as one without a
        // lifetime.
        for _ in 0..<3 {
            _ = try reference.getFlags()
            pause(milliseconds: 40)
        }
        let result = try topology.run {
            try inTurns {
                try duration { for _ in 0..<5_000 { _ = try reference.getFlags() } } / 5_000
            } against: {
                try checked(limits_quiet_check(5_000))
            }
        }
        rows.append(
            Row(
                name: "repeated getFlags, \(name)", unit: .nanoseconds, ours: result.ours, limit: result.limit,
                target: .ratio(1.3)))
    }
    return rows
}

/// The same from eight threads on one reference.
func measureRepeatedByThreads(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let reference = try topology.reference("20.1.2.3")
    _ = try reference.getFlags()
    let result = try topology.run {
        try inTurns(21) {
            try duration {
                let threads = try (0..<8).map { number in
                    try Thread.start(name: "asker \(number)", stackBytes: 256 << 10) {
                        for _ in 0..<50_000 { _ = try? reference.getFlags() }
                    }
                }
                for thread in threads { thread.join() }
            } / 400_000
        } against: {
            try checked(limits_quiet_check_by_threads(8, 50_000))
        }
    }
    return [
        Row(
            name: "repeated getFlags, 8 threads", unit: .nanoseconds, ours: result.ours, limit: result.limit,
            target: .ratio(1.3))
    ]
}

/// How often a repeated question allocates memory.
func measureAllocations(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let reference = try topology.reference("20.1.2.3")
    // The kernel announces for a while that the links came up.
    pause(milliseconds: 1500)
    let count = try topology.run {
        // The first answer after a change is not kept yet; the second is.
        for _ in 0..<3 { _ = try reference.getFlags() }
        let before = allocations_of_this_thread()
        for _ in 0..<100_000 { _ = try reference.getFlags() }
        return allocations_of_this_thread() - before
    }
    return [
        Row(
            name: "allocations in 100,000 repeated getFlags", unit: .count, ours: Double(count), limit: nil,
            target: .most(0))
    ]
}
