// SPDX-License-Identifier: Apache-2.0

import CNameLimits
import Dispatch
import ReachabilityKit
import TestTopology

/// How often a watching process is woken while nothing changes.
func measureIdle(_ stage: Stage) throws -> [Row] {
    [
        Row(
            name: "wake-ups in 5 s of a process with 1,000 watched addresses", unit: .count,
            ours: try CallingThread.measureChild("idle"), target: .most(0)),
        Row(
            name: "the same with 1,000 watched names, resolved and kept", unit: .count,
            ours: try CallingThread.measureChild("idle-names"), target: .most(0)),
    ]
}

func wakeUpsWhileIdle() throws -> Double {
    let watches = try ManyWatches(1_000)
    return try withExtendedLifetime(watches) { try wakeUpsOfEngine() }
}

func wakeUpsWhileNamesAreKept() throws -> Double {
    let topology = try Machine.office()
    let port = topology.run { names_start_server() }
    try checked(port)
    var options = ReachabilityOptions()
    options.nameServers = ["127.0.0.1:\(port)"]
    let queue = DispatchQueue(label: "callbacks")
    let told = Shared(0)
    let references = try topology.run {
        try (0..<1_000).map { number in
            let reference = try ReachabilityRef(hostname: "n\(number).example", options: options)
            reference.setCallback { _ in told.withLock { $0 += 1 } }
            try reference.setDispatchQueue(queue)
            return reference
        }
    }
    while told.withLock({ $0 }) < references.count { pause(milliseconds: 50) }
    defer {
        for reference in references { try? reference.setDispatchQueue(nil) }
        names_stop_server()
    }
    return try wakeUpsOfEngine()
}

/// Wake-ups of the engine's thread in five seconds, after the last delayed recheck of earlier changes.
private func wakeUpsOfEngine() throws -> Double {
    pause(milliseconds: 2000)
    guard ProcessState.engineCount > 0 else { throw MeasuringFailure("no engine runs") }
    let before = ProcessState.wakeUps(of: "reachability")
    pause(milliseconds: 5000)
    return Double(ProcessState.wakeUps(of: "reachability") - before)
}
