// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Collects the callbacks that one look leads to, and puts them on their queues together.
///
/// A dispatch item for each of ten thousand callbacks would take a third of the engine's time. So registrations with the
/// same queue share items, unless there are few of them: up to `sideBySide` get one item each, so that on a concurrent
/// queue no callback waits for another. With more they wait in any case, because libdispatch has only so many threads.
///
/// Each look makes its own batch: an engine that is stopping and its successor may look at the same moment.
struct DeliveryBatch {
    private struct QueueBatch {
        let queue: DispatchQueue
        var registrations: [Registration] = []
    }

    private var queues: [ObjectIdentifier: QueueBatch] = [:]
    private var others: [(registration: Registration, target: any CallbackRunner)] = []
    private(set) var count = 0

    /// libdispatch has at most DISPATCH_WORKQ_MAX_PTHREAD_COUNT threads, and fewer on a machine with few processors.
    private static let sideBySide = 64

    /// Adds a registration whose callback is due, if there is one.
    mutating func add(_ registration: Registration?) {
        guard let registration else { return }
        count += 1
        switch registration.sink {
        case .queue(let queue):
            queues[ObjectIdentifier(queue), default: QueueBatch(queue: queue)].registrations.append(registration)
        case .target(let target): others.append((registration, target))
        }
    }

    /// Puts all callbacks where they run.
    consuming func deliver() {
        for batch in queues.values { Self.enqueue(batch) }
        for (registration, target) in others { target.deliver { registration.callBack() } }
    }

    private static func enqueue(_ batch: QueueBatch) {
        guard batch.registrations.count > sideBySide else {
            for registration in batch.registrations { batch.queue.async { registration.callBack() } }
            return
        }
        for start in stride(from: 0, to: batch.registrations.count, by: sideBySide) {
            let some = batch.registrations[start..<min(start + sideBySide, batch.registrations.count)]
            batch.queue.async {
                for registration in some { registration.callBack() }
            }
        }
    }
}
