// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

/// A network for watching targets, with one more target whose changes mark the end of a burst.
///
/// A test cannot wait for "no callback". So it changes the second target, the fence: when that was called back, everything
/// announced before it has been looked up.
struct WatchedNetwork {
    let topology: Topology
    let recorder = CallbackRecorder()
    private let fence: ReachabilityRef
    private let fenceRecorder = CallbackRecorder()

    /// - Parameter feedQueueBytes: the size of the engine's queue, for tests that overrun it.
    init(feedQueueBytes: Int32? = nil) throws {
        let topology = try Topology()
        self.topology = topology
        // No other route and no rule of a test concerns the fence.
        try topology.ip("route add unreachable 198.51.100.1")
        try topology.ip("rule add to 198.51.100.1 lookup main priority 1")
        fence = try topology.run { try ReachabilityRef(address: "198.51.100.1") }
        if let feedQueueBytes {
            fence.namespace.sharedEngine.feedQueueBytes.store(feedQueueBytes, ordering: .relaxed)
        }
        try fenceRecorder.watch(fence)
    }

    func reference(_ text: String) throws -> ReachabilityRef {
        try topology.run { try ReachabilityRef(text: TargetText(text), options: ReachabilityOptions()) }
    }

    /// Waits until everything that the kernel has announced so far was looked up.
    func settle() throws {
        try topology.ip("route replace 198.51.100.1 dev lo")
        #expect(try fenceRecorder.next().contains(.isLocalAddress))
        try topology.ip("route replace unreachable 198.51.100.1")
        #expect(try !fenceRecorder.next().contains(.isLocalAddress))
        try recorder.finishDeliveries()
    }

    /// Waits until the rechecks of all that was looked up so far are over. Until then they may find what nothing announces.
    func finishRechecks() throws {
        let loop = try engine().loop
        let ended = ReceivedValues<Void>()
        // Each timer fires after the engine's, which was set before it.
        @Sendable func wait(for delays: ArraySlice<Duration>) {
            guard let delay = delays.first else { return ended.record(()) }
            loop.schedule(at: loop.now().advanced(by: delay)) { wait(for: delays.dropFirst()) }
        }
        loop.enqueue { wait(for: LookSchedule.repetitions[...]) }
        _ = try ended.next()
        releaseEngine()
    }

    /// Runs a command of `ip`, or "sysctl NAME=VALUE".
    func perform(_ command: String) throws {
        guard command.hasPrefix("sysctl ") else {
            try topology.ip(command)
            return
        }
        let parts = command.dropFirst(7).split(separator: "=")
        try topology.set(String(parts[0]), Int(parts[1])!)
    }

    /// The engine, until `releaseEngine`.
    func engine() throws -> Engine {
        try fence.namespace.sharedEngine.acquire(for: fence.namespace)
    }

    func releaseEngine() {
        fence.namespace.sharedEngine.release()
    }

    /// Unschedules the fence, which would stay alive otherwise.
    func end() throws {
        try fence.setDispatchQueue(nil)
    }
}
