// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// A network for watching targets, with a `Fence`. It unschedules what it watches when it ends.
final class WatchedNetwork: Sendable {
    let topology: Machine
    let recorder = CallbackRecorder()
    private let fence: ReachabilityRef
    private let fenceRecorder = CallbackRecorder()
    private let watched = Mutex<[ReachabilityRef]>([])

    /// - Parameters:
    ///   - address: of eth0; nil for a network without links.
    ///   - commands: of `ip`, one after the other, once eth0 is up.
    ///   - announcementQueueBytes: the size of the engine's queue, for tests that overrun it.
    ///   - pace: for tests that are about late repetitions or cannot do without.
    ///   - isDeaf: whether the kernel announces nothing, as no netlink socket may be bound.
    init(
        _ address: String? = nil, _ commands: String..., announcementQueueBytes: Int32? = nil,
        pace: Pace = .ofProcess, isDeaf: Bool = false
    ) throws {
        let topology = try Machine()
        self.topology = topology
        try topology.makeFence()
        if isDeaf {
            // The network is made by netlink, too.
            if let address { try topology.wire("eth0", address: address) }
            FaultInjection.fail(.bind, with: .permissionDenied, times: .max)
        }
        fence = try topology.run { try ReachabilityRef(address: Fence.address) }
        fence.namespace.sharedEngine.pace.withLock { $0 = pace }
        if let announcementQueueBytes {
            fence.namespace.sharedEngine.announcementQueueBytes.store(announcementQueueBytes, ordering: .relaxed)
        }
        try fenceRecorder.watch(fence)
        if let address, !isDeaf { try topology.wire("eth0", address: address) }
        for command in commands { try topology.ip(command) }
    }

    deinit {
        for reference in watched.withLock(\.self) + [fence] { try? reference.setDispatchQueue(nil) }
    }

    func reference(_ text: String, _ change: (inout ReachabilityOptions) -> Void = { _ in }) throws -> ReachabilityRef {
        var options = ReachabilityOptions()
        change(&options)
        return try topology.run { try ReachabilityRef(text: TargetText(text), options: options) }
    }

    /// Watches a target until this object ends.
    @discardableResult
    func watch(_ text: String, on recorder: CallbackRecorder? = nil) throws -> ReachabilityRef {
        let reference = try reference(text)
        try watch(reference, on: recorder)
        return reference
    }

    func watch(_ reference: ReachabilityRef, on recorder: CallbackRecorder? = nil) throws {
        watched.withLock { $0.append(reference) }
        try (recorder ?? self.recorder).watch(reference)
    }

    /// Waits until everything that the kernel has announced so far was looked up.
    func settle() throws {
        try Fence.pass(in: topology) { isReachable in
            let flags = try fenceRecorder.next()
            #expect(flags.contains(.isLocalAddress) == isReachable)
        }
        try recorder.finishDeliveries()
    }

    /// Waits until the rechecks of all that was looked up so far are over. Until then they may find what nothing announces. The first
    /// comes the later the longer the look took.
    func finishRechecks() throws {
        let engine = try engine
        try WaitLimit.wait(for: "the rechecks") {
            try engine.afterwards { [core = engine.core, loop = engine.loop] in
                // What is due later is the end of a route.
                !core.isEvaluating && core.agenda.next > loop.now().advanced(by: .milliseconds(500))
            }
        }
    }

    /// Whether the kernel holds back announcements that concern no watched target. What was announced before must have been read.
    var isFiltering: Bool {
        get throws { try engine.afterwards { [engine = try engine] in engine.core.announcements.isFiltering } }
    }

    /// The engine, which runs as long as the fence is watched.
    var engine: Engine { get throws { try #require(fence.namespace.sharedEngine.present) } }
}
