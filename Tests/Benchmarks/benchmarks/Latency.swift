// SPDX-License-Identifier: Apache-2.0

import CLimits
import Dispatch
import Glibc
import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// The time from the sending of a change until a callback runs. The change is made on one processor, and everything else runs
/// on another. The limit is a program in C that waits for announcements, asks for the route, and compares.
func measureLatency(_ stage: Stage) throws -> [Row] {
    try [AddressFamily.v4, .v6].flatMap { family in
        try Place.allCases.flatMap { place in
            try latency(of: family, at: place, rounds: 10, Rhythm(changes: 80, silence: 4))
        }
    }
}

/// The same when nothing has happened for two seconds. What is called, and each thread that has to wake up, costs more then. Of
/// so few changes the slowest hundredth is one.
func measureLatencyAfterSilence(_ stage: Stage) throws -> [Row] {
    guard stage.isFull else { return [] }
    return try Place.allCases.flatMap { place in
        try latency(of: .v4, at: place, rounds: 3, Rhythm(changes: 20, silence: 2_000))
    }
}

private enum Place: String, CaseIterable {
    case queue = "a queue"
    case loop = "the client's loop"
}

private func latency(
    of family: AddressFamily, at place: Place, rounds: Int, _ rhythm: Rhythm
) throws -> [Row] {
    let topology = try Machine.office()
    let clock = try ChangeClock(in: topology)
    let (address, prefix) = family == .v4 ? ("192.0.2.1", "192.0.2.0/24") : ("2001:db8::1", "2001:db8::/32")
    let changes = [Change.route(.add, prefix, kind: .blackhole), Change.route(.delete, prefix)]
    var (ours, limit): ([Double], [Double]) = ([], [])
    let queue = DispatchQueue(label: "callbacks")
    try topology.run {
        defer { limits_stay_on(-1) }
        for _ in 0..<rounds {
            // A new thread runs on the processor of the thread that starts it.
            limits_stay_on(1)
            switch place {
            case .queue:
                let reference = try ReachabilityRef(address: address)
                reference.setCallback { _ in limits_arrived() }
                try reference.setDispatchQueue(queue)
                ours += try flips(clock, between: changes, rhythm)
                try reference.setDispatchQueue(nil)
            case .loop:
                let watcher = try LoopWatcher(address)
                try watcher.startLoop(on: 1)
                ours += try flips(clock, between: changes, rhythm)
                limits_stop_loop()
                _ = consume watcher
            }

            try checked(limits_start_asker(1, family == .v4 ? AF_INET : AF_INET6))
            limit += try flips(clock, between: changes, rhythm)
            limits_stop_listener()
        }
    }
    return ["added", "deleted"].enumerated().flatMap { remainder, change in
        func only(_ times: [Double]) -> [Double] {
            times.indices.filter { $0 % 2 == remainder }.map { times[$0] }
        }
        let name = "IPv\(family == .v4 ? 4 : 6) route \(change) to callback on \(place.rawValue)"
        return rhythm.silence < 100
            ? latencyRows(name, only(ours), only(limit))
            : latencyRows(
                name + ", after \(rhythm.silence / 1_000) s", only(ours), only(limit), median: 2.5, slowest: nil)
    }
}

/// The same until a path monitor tells its handler another router.
func measurePathLatency(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let clock = try ChangeClock(in: topology)
    let queue = DispatchQueue(label: "paths")
    let link = Int32(try topology.index(of: "eth0").rawValue)
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

            try checked(limits_start_path_asker(1, link))
            limit += try flips(clock, between: changes)
            limits_stop_listener()
        }
    }
    return latencyRows("default route change to path update", ours, limit)
}

/// A preemption or two decide the slowest hundredth: of three runs it was twice the limit in one, and more in the others.
func latencyRows(
    _ name: String, _ ours: [Double], _ limit: [Double], median: Double = 2, slowest: Double? = 2.5
) -> [Row] {
    [(50, "median", median), (99, "p99", slowest)].map { percent, what, target in
        Row(
            "\(name), \(what)", .microseconds, (ours.percentile(percent), limit.percentile(percent)), per: 1000,
            ratio: target)
    }
}

/// Many short rounds, so that other processes disturb both sides alike.
let rounds = 20

/// How many changes are made in a round, and the milliseconds between them.
struct Rhythm {
    var changes = 150
    /// Long enough for each change to be looked at by itself.
    var silence: UInt32 = 4
}

/// Two changes in turns.
func flips(_ clock: ChangeClock, between changes: [Change], _ rhythm: Rhythm = Rhythm()) throws -> [Double] {
    // What was just started has to become idle.
    pause(milliseconds: 20)
    limits_stay_on(0)
    return try (0..<rhythm.changes).map { number in
        pause(milliseconds: rhythm.silence)
        return try clock.time(changes[number % 2], until: 1)
    }
}

/// Makes changes, and measures the time until they are noticed.
final class ChangeClock {
    private let changer: Int32

    init(in topology: Machine) throws {
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
