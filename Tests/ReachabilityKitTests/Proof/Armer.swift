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
    private let lease: EngineLease
    private let tripwire: Tripwire

    init(_ reference: ReachabilityRef) throws {
        self.reference = reference
        try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
        lease = try EngineLease(reference.stack)
        tripwire = try reference.stack.kernel().sentinel.tripwire
        // Whoever misses it has it armed as well, while others are changing and asking.
        tripwire.patience.store(3, ordering: .relaxed)
        try arm()
    }

    func arm() throws {
        let done = DispatchSemaphore(value: 0)
        lease.loop.enqueue { [tripwire, loop = lease.loop] in
            tripwire.arm(on: loop)
            done.signal()
        }
        try done.wait(for: "the tripwire to be armed")
    }

    var isQuiet: Bool { tripwire.isQuiet }

    /// How often it proved an answer.
    var answerCount: Int {
        #if DEBUG
            tripwire.answerCount
        #else
            0
        #endif
    }

    func end() throws {
        try reference.setDispatchQueue(nil)
    }
}
