// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Synchronization
import TestWaiting

/// Collects what a client is told, in the order in which it comes, and lets a test wait for it.
package final class ReceivedValues<Value: Sendable>: Sendable {
    private struct State {
        var seen: [Value] = []
        var taken = 0
    }

    /// Where a test may have the values brought.
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

    /// The next so many, in order.
    package func next(_ count: Int) throws -> [Value] {
        try (0..<count).map { _ in try next() }
    }

    /// Blocks until a value of which the condition holds. A change of several steps may be told in as many.
    @discardableResult
    package func next(where condition: (Value) -> Bool) throws -> Value {
        while true {
            let value = try next()
            if condition(value) { return value }
        }
    }

    package var all: [Value] { state.withLock(\.seen) }

    /// Returns when everything that was on its way to the queue has come.
    package func finishDeliveries() throws { try queue.finish("what is on its way after \(all)") }

    /// How many came that nobody has waited for.
    package var untaken: Int { state.withLock { $0.seen.count - $0.taken } }
}
