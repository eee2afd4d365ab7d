// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import Netlink
import ReachabilityKit
import Synchronization
import TestWaiting

/// Has a reference watched, and the tripwire of its namespace armed as often as a test asks for it.
final class Armer: Sendable {
    private let reference: ReachabilityRef
    private let lease: EngineAccess
    private let ringIdleCheck: RingIdleCheck

    init(_ reference: ReachabilityRef) throws {
        self.reference = reference
        try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
        lease = try EngineAccess(reference.namespace)
        ringIdleCheck = try reference.namespace.kernel().routingGeneration.ringIdleCheck
        // Whoever misses it has it armed as well, while others are changing and asking.
        ringIdleCheck.patience.store(3, ordering: .relaxed)
        try arm()
    }

    func arm() throws {
        let done = DispatchSemaphore(value: 0)
        lease.loop.enqueue { [ringIdleCheck, loop = lease.loop] in
            ringIdleCheck.arm(on: loop)
            done.signal()
        }
        try done.wait(for: "the tripwire to be armed")
    }

    var isIdle: Bool { ringIdleCheck.isIdle }

    /// How often it proved an answer.
    var answerCount: Int {
        #if DEBUG
            ringIdleCheck.answerCount
        #else
            0
        #endif
    }

    func end() throws {
        try reference.setDispatchQueue(nil)
    }
}
