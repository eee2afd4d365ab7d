// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import ReachabilityLinuxSystem

/// A client's callback that an evaluation has made due.
package protocol DueCallback: AnyObject, Sendable {
    var place: CallbackPlace { get }
    /// Calls the client, if the call is still due. Runs in the place where the client wants its callbacks.
    func callBack()
}

/// Collects the callbacks that one evaluation makes due, and puts them on their queues together.
///
/// One dispatch item for each of ten thousand callbacks would take a third of the engine's time. So callbacks on the same queue
/// share items, unless there are few of them: up to `sideBySide` callbacks get one item each, so that on a concurrent queue none
/// waits for another. If there are more, they have to wait anyway, because libdispatch has only so many threads.
///
/// Each evaluation makes its own batch: an engine that is stopping and its successor may evaluate at the same moment.
package struct DeliveryBatch {
    private struct QueueBatch {
        let queue: DispatchQueue
        var callbacks: [any DueCallback] = []
    }

    /// The changes that led to the evaluation.
    package let causes: ChangeKinds

    private var queues: [ObjectIdentifier: QueueBatch] = [:]
    private var others: [(callback: any DueCallback, target: any CallbackRunner)] = []
    private(set) var count = 0

    init(because causes: ChangeKinds) {
        self.causes = causes
    }

    /// libdispatch has at most DISPATCH_WORKQ_MAX_PTHREAD_COUNT threads, and fewer on a machine with few processors.
    private static let sideBySide = 64

    /// Adds a callback that is due.
    package mutating func add(_ callback: any DueCallback) {
        count += 1
        switch callback.place {
        case .queue(let queue):
            queues[ObjectIdentifier(queue), default: QueueBatch(queue: queue)].callbacks.append(callback)
        case .target(let target): others.append((callback, target))
        }
    }

    /// Sends all callbacks to the places where they run.
    consuming func deliver() {
        for batch in queues.values { Self.enqueue(batch) }
        for (callback, target) in others { target.deliver { callback.callBack() } }
    }

    private static func enqueue(_ batch: QueueBatch) {
        guard batch.callbacks.count > sideBySide else {
            for callback in batch.callbacks { batch.queue.async { callback.callBack() } }
            return
        }
        for start in stride(from: 0, to: batch.callbacks.count, by: sideBySide) {
            let some = batch.callbacks[start..<min(start + sideBySide, batch.callbacks.count)]
            batch.queue.async {
                for callback in some { callback.callBack() }
            }
        }
    }
}
