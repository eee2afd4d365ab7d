// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import Netlink
import ReachabilityKit
import Synchronization
import TestWaiting
import Testing

/// Watches a reference, and arms the check by io_uring of its namespace whenever a test asks for it.
final class Armer: Sendable {
    private let reference: ReachabilityRef
    private let engine: EngineAccess
    private let ringIdleCheck: RingIdleCheck

    init(_ reference: ReachabilityRef) throws {
        self.reference = reference
        try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
        engine = try EngineAccess(reference.namespace)
        let kernel = try reference.namespace.source().requireNetlink()
        ringIdleCheck = try #require(kernel.routingGeneration.idleCheck.fast as? RingIdleCheck)
        // Misses arm it as well, while other threads change and ask.
        ringIdleCheck.missThreshold.store(3, ordering: .relaxed)
        try arm()
    }

    func arm() throws {
        let done = DispatchSemaphore(value: 0)
        engine.loop.enqueue { [ringIdleCheck, loop = engine.loop] in
            ringIdleCheck.arm(on: loop)
            done.signal()
        }
        try done.wait(for: "the ring to be armed")
    }

    var isIdle: Bool { ringIdleCheck.isIdle }

    /// How often it proved an answer.
    var proofCount: Int {
        #if DEBUG
            ringIdleCheck.proofCount
        #else
            0
        #endif
    }

    func end() throws {
        try reference.setDispatchQueue(nil)
    }
}
