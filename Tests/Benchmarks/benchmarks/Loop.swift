// SPDX-License-Identifier: Apache-2.0

import CLimits
import CReachability
import CReachabilityHeaders
import TestTopology

/// A watcher as a program in C uses it.
final class LoopWatcher {
    private let watcher: OpaquePointer
    private let target: OpaquePointer

    /// Watches an address. Each callback is an arrival.
    init(_ address: String) throws {
        var (watcher, target): (OpaquePointer?, OpaquePointer?)
        var error = reachability_error()
        guard unsafe CReachabilityHeaders.reachability_target_create(address, nil, &target, &error) == REACHABILITY_OK,
            unsafe CReachabilityHeaders.reachability_watcher_create(&watcher, &error) == REACHABILITY_OK,
            let watcher = unsafe watcher, let target = unsafe target,
            unsafe CReachabilityHeaders.reachability_watcher_add(
                watcher, target, { _, _ in limits_arrived() }, nil, nil, &error) == REACHABILITY_OK
        else {
            throw MeasuringFailure("no watcher: error \(error.code)")
        }
        unsafe self.watcher = watcher
        unsafe self.target = target
    }

    deinit {
        unsafe CReachabilityHeaders.reachability_watcher_free(watcher)
        unsafe CReachabilityHeaders.reachability_target_free(target)
    }

    func flags() -> UInt32 {
        var flags: UInt32 = 0
        _ = unsafe CReachabilityHeaders.reachability_target_get_flags(target, &flags, nil)
        return flags
    }

    /// Starts a thread that turns it.
    func startLoop(on processor: Int32) throws {
        let descriptor = unsafe CReachabilityHeaders.reachability_watcher_descriptor(watcher)
        try checked(
            unsafe limits_start_loop(
                processor, descriptor, { unsafe CReachabilityHeaders.reachability_watcher_process(OpaquePointer($0!)) },
                UnsafeMutableRawPointer(watcher)))
    }
}

/// The time from the sending of a change until a callback runs in the thread that waits for the watcher's descriptor. The
/// limit is a thread in epoll_wait(2).
func measureLoopLatency(_ stage: Stage) throws -> [Row] {
    let topology = try Topology.office()
    let clock = try ChangeClock(in: topology)
    var (ours, limit): ([Double], [Double]) = ([], [])
    try topology.run {
        defer { limits_stay_on(-1) }
        for _ in 0..<rounds {
            limits_stay_on(1)
            let watcher = try LoopWatcher("192.0.2.1")
            try watcher.startLoop(on: 1)
            ours += try flips(clock)
            limits_stop_loop()
            _ = consume watcher

            try checked(limits_start_listener(1, 0))
            limit += try flips(clock)
            limits_stop_listener()
        }
    }
    return latencyRows("route change to callback on the client's loop", ours, limit, target: 1.25)
}

/// From nothing to a watched target and its first answer, in a process that has done nothing else with the library.
func measureLoopStart(_ stage: Stage) throws -> [Row] {
    let times = try (0..<31).map { _ in try CallingThread.measureChild("loop-start") }
    return [
        Row(
            name: "start of a client in C: target, watcher, first answer", unit: .microseconds,
            ours: times.median / 1000, limit: nil, target: .most(600))
    ]
}

func startOfLoop() throws -> Double {
    try Topology.office().run {
        try duration {
            let watcher = try LoopWatcher("192.0.2.1")
            guard watcher.flags() & UInt32(REACHABILITY_REACHABLE) != 0 else { throw MeasuringFailure("not reachable") }
        }
    }
}
