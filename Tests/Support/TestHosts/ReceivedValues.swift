// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import ReachabilityRoutes
import Synchronization
import TestWaiting

/// Collects the values that a client receives, in their order, and lets a test wait for them.
package final class ReceivedValues<Value: Sendable>: Sendable {
    private struct State {
        var seen: [Value] = []
        var taken = 0
    }

    /// A queue on which a test may receive the values.
    package let queue: DispatchQueue
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    package init(queue: DispatchQueue = DispatchQueue(label: "client")) {
        self.queue = queue
    }

    package func record(_ value: Value) {
        state.withLock { $0.seen.append(value) }
        arrivals.signal()
    }

    /// Blocks until the next value has come, and returns it.
    @discardableResult
    package func next() throws -> Value {
        guard arrivals.wait(timeout: WaitLimit.end) == .success else { throw WaitTimeout("what comes after \(all)") }
        return state.withLock { state in
            defer { state.taken += 1 }
            return state.seen[state.taken]
        }
    }

    /// The next values, in order.
    package func next(_ count: Int) throws -> [Value] {
        try (0..<count).map { _ in try next() }
    }

    /// Blocks until a value meets the condition. A change in several steps may bring several values.
    @discardableResult
    package func next(where condition: (Value) -> Bool) throws -> Value {
        while true {
            let value = try next()
            if condition(value) { return value }
        }
    }

    package var all: [Value] { state.withLock(\.seen) }

    /// Waits until all values that are on the way to the queue have come.
    package func finishDeliveries() throws { try queue.finish("what is on its way after \(all)") }

    /// How many values have come that were not taken with `next`.
    package var untaken: Int { state.withLock { $0.seen.count - $0.taken } }
}

/// Records paths that differ from the last one, and each answer of another target, for those of the values that are of that type.
extension ReceivedValues: Subscriber where Value: Equatable {
    package func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        let value: Any?
        if let observed = (watch as? PathWatcher)?.observed {
            value = observed.refusal == nil && observed.path != all.last as? NetworkPath ? observed.path : nil
        } else {
            value = watch.answer?.flags
        }
        if let value = value as? Value { record(value) }
    }
}
