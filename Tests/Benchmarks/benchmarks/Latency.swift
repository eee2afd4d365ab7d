// SPDX-License-Identifier: Apache-2.0

import CLimits
import Dispatch
import LinuxSystem
import Netlink
import Network
import ReachabilityKit
import TestTopology

/// The time from the sending of a change until a callback runs on a dispatch queue. The change is made on one
/// processor, and everything else runs on another. The limit is a thread in epoll_wait(2).
func measureLatency(_ stage: Stage) throws -> [Row] {
    let topology = try Topology.office()
    let clock = try ChangeClock(in: topology)
    let queue = DispatchQueue(label: "callbacks")
    var (ours, limit): ([Double], [Double]) = ([], [])
    try topology.run {
        defer { limits_stay_on(-1) }
        for _ in 0..<rounds {
            // A new thread runs on the processor of the thread that starts it.
            limits_stay_on(1)
            let reference = try ReachabilityRef(address: "192.0.2.1")
            reference.setCallback { _ in limits_arrived() }
            try reference.setDispatchQueue(queue)
            ours += try flips(clock)
            try reference.setDispatchQueue(nil)

            try checked(limits_start_listener(1, 0))
            limit += try flips(clock)
            limits_stop_listener()
        }
    }
    return latencyRows("route change to callback", ours, limit)
}

/// The same until a path monitor tells its handler another router.
func measurePathLatency(_ stage: Stage) throws -> [Row] {
    let topology = try Topology.office()
    let clock = try ChangeClock(in: topology)
    let queue = DispatchQueue(label: "paths")
    let changes = ["10.0.0.3", "10.0.0.2"].map { Change.route(.replace, "0.0.0.0/0", via: $0) }
    var (ours, limit): ([Double], [Double]) = ([], [])
    try topology.run {
        defer { limits_stay_on(-1) }
        for _ in 0..<rounds {
            limits_stay_on(1)
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { _ in limits_arrived() }
            monitor.start(queue: queue)
            ours += try flips(clock, between: changes)
            monitor.cancel()

            try checked(limits_start_listener(1, 0))
            limit += try flips(clock, between: changes)
            limits_stop_listener()
        }
    }
    return latencyRows("default route change to path update", ours, limit)
}

func latencyRows(_ name: String, _ ours: [Double], _ limit: [Double], target: Double = 2) -> [Row] {
    [50, 99].map { percent in
        Row(
            name: "\(name), \(percent == 50 ? "median" : "p\(percent)")", unit: .microseconds,
            ours: ours.percentile(percent) / 1000, limit: limit.percentile(percent) / 1000, target: .ratio(target))
    }
}

/// A route that is added and deleted.
let comingAndGoing = [
    Change.route(.add, "192.0.2.0/24", kind: .blackhole), Change.route(.delete, "192.0.2.0/24"),
]

/// Many short rounds, so that other processes disturb both sides alike.
let rounds = 20

/// Two changes in turns, far enough apart for each to be looked at by itself.
func flips(_ clock: ChangeClock, between changes: [Change] = comingAndGoing) throws -> [Double] {
    // What was just started has to become idle.
    pause(milliseconds: 20)
    limits_stay_on(0)
    return try (0..<150).map { number in
        pause(milliseconds: 4)
        return try clock.time(changes[number % 2], until: 1)
    }
}

/// Makes changes, and measures the time until they are noticed.
final class ChangeClock {
    private let changer: Int32

    init(in topology: Topology) throws {
        changer = topology.run { limits_open_changer() }
        try checked(changer)
    }

    deinit {
        limits_close_changer(changer)
    }

    /// Nanoseconds from the sending of the change until `limits_arrived` was called the given number of times.
    func time(_ change: Change, until arrivals: Int32) throws -> Double {
        unsafe try change.withBytes { bytes in
            try checked(unsafe limits_time_change(changer, bytes.baseAddress, bytes.count, arrivals))
        }
    }
}
