// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Puts callbacks on their queues; those that one look of the engine brings, together.
///
/// An item of its own for each of ten thousand callbacks costs the engine a third of its time. Up to `sideBySide` are
/// put each by itself all the same, so that on a concurrent queue none waits for another: libdispatch has that many
/// threads at most, so more would wait for each other anyway.
final class DeliveryRound: Sendable {
    private struct Gathered {
        let queue: DispatchQueue
        var registrations: [Registration] = []
    }

    /// Nil as long as nothing is being gathered.
    private let gathered = Mutex<[ObjectIdentifier: Gathered]?>(nil)

    /// libdispatch's DISPATCH_WORKQ_MAX_PTHREAD_COUNT, less generous where there are few processors.
    private static let sideBySide = 64

    /// Gathers what is delivered while `body` runs, on the engine's thread, and puts it on its queues afterwards.
    func gather(_ body: () -> Void) {
        gathered.withLock { $0 = [:] }
        body()
        let all = gathered.withLock { gathered in
            defer { gathered = nil }
            return gathered
        }
        for part in (all ?? [:]).values { Self.put(part) }
    }

    /// Has a registration's callback made on a queue.
    func deliver(_ registration: Registration, on queue: DispatchQueue) {
        let isGathered = gathered.withLock { gathered in
            guard gathered != nil else { return false }
            gathered![ObjectIdentifier(queue), default: Gathered(queue: queue)].registrations.append(registration)
            return true
        }
        if !isGathered { queue.async { registration.deliver() } }
    }

    private static func put(_ part: Gathered) {
        guard part.registrations.count > sideBySide else {
            for registration in part.registrations { part.queue.async { registration.deliver() } }
            return
        }
        for start in stride(from: 0, to: part.registrations.count, by: sideBySide) {
            let some = part.registrations[start..<min(start + sideBySide, part.registrations.count)]
            part.queue.async {
                for registration in some { registration.deliver() }
            }
        }
    }
}
