// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import TestTopology

/// How often a process that watches is woken while nothing happens.
func measureIdle(_ stage: Stage) throws -> [Row] {
    [
        Row(
            name: "wake-ups in 5 s of a process with 1,000 watched addresses", unit: .count,
            ours: try CallingThread.measureChild("idle"), limit: nil, target: .most(0))
    ]
}

/// Wake-ups of the engine's thread in five seconds.
func wakeUpsWhileIdle() throws -> Double {
    let crowd = try Crowd(1_000)
    pause(milliseconds: 2000)
    let before = try contextSwitches(ofThread: "reachability")
    pause(milliseconds: 5000)
    let after = try contextSwitches(ofThread: "reachability")
    return withExtendedLifetime(crowd) { Double(after - before) }
}
