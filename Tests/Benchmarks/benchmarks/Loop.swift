// SPDX-License-Identifier: Apache-2.0

import CLimits
import CReachability
import CReachabilityHeaders
import Glibc
import TestTopology

/// A watcher as a program in C uses it.
@safe final class LoopWatcher {
    private let watcher: OpaquePointer
    private let target: OpaquePointer
    private let told: UnsafeMutablePointer<Told>

    private struct Told {
        var calls = 0
        var flags: UInt32 = 0
    }

    /// Watches an address, and returns when the present flags were told. Each callback is an arrival.
    init(_ address: String) throws {
        var (watcher, target): (OpaquePointer?, OpaquePointer?)
        var error = reachability_error()
        unsafe told = .allocate(capacity: 1)
        unsafe told.initialize(to: Told())
        guard unsafe CReachabilityHeaders.reachability_target_create(address, nil, &target, &error) == REACHABILITY_OK,
            unsafe CReachabilityHeaders.reachability_watcher_create(&watcher, &error) == REACHABILITY_OK,
            let watcher = unsafe watcher, let target = unsafe target,
            unsafe CReachabilityHeaders.reachability_watcher_add(
                watcher, target,
                { flags, told in
                    unsafe told!.assumingMemoryBound(to: Told.self).pointee.calls += 1
                    unsafe told!.assumingMemoryBound(to: Told.self).pointee.flags = flags
                    limits_arrived()
                }, told, nil, nil, &error) == REACHABILITY_OK
        else {
            throw MeasuringFailure("no watcher: error \(error.code)")
        }
        unsafe self.watcher = watcher
        unsafe self.target = target
        while unsafe told.pointee.calls == 0 {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&request, 1, 5_000) == 1 else { throw MeasuringFailure("the flags were not told") }
            guard unsafe CReachabilityHeaders.reachability_watcher_process(watcher, nil) == 0 else {
                throw MeasuringFailure("the watcher has failed")
            }
        }
    }

    private var descriptor: Int32 { unsafe CReachabilityHeaders.reachability_watcher_descriptor(watcher) }
    /// What was told last.
    var flags: UInt32 { unsafe told.pointee.flags }

    deinit {
        unsafe CReachabilityHeaders.reachability_watcher_free(watcher)
        unsafe CReachabilityHeaders.reachability_target_free(target)
        unsafe told.deallocate()
    }

    /// Starts a thread that turns it.
    func startLoop(on processor: Int32) throws {
        try checked(
            unsafe limits_start_loop(
                processor, descriptor,
                { _ = unsafe CReachabilityHeaders.reachability_watcher_process(OpaquePointer($0!), nil) },
                UnsafeMutableRawPointer(watcher)))
    }
}

/// From nothing to a watched target and its first callback, in a process that has done nothing else with the library.
func measureLoopStart(_ stage: Stage) throws -> [Row] {
    let times = try (0..<31).map { _ in try CallingThread.measureChild("loop-start") }
    return [
        Row(
            name: "start of a client in C: target, watcher, first callback", unit: .microseconds,
            ours: times.median / 1000, target: .most(750))
    ]
}

func startOfLoop() throws -> Double {
    try Machine.office().run {
        try duration {
            let watcher = try LoopWatcher("192.0.2.1")
            guard watcher.flags & UInt32(REACHABILITY_REACHABLE) != 0 else { throw MeasuringFailure("not reachable") }
        }
    }
}
