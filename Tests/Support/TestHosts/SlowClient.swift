// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Synchronization
import TestWaiting

/// A client on a concurrent queue that stays in its first call until it is released. Tells whether a second call ran meanwhile.
package final class SlowClient<Value: Sendable>: Sendable {
    package let queue = DispatchQueue(label: "concurrent client", attributes: .concurrent)
    package let values: ReceivedValues<Value>
    private let running = Mutex((now: 0, most: 0, total: 0))
    private let entered = DispatchSemaphore(value: 0)
    private let hold = DispatchSemaphore(value: 0)

    package init() { values = ReceivedValues(queue: queue) }

    /// How many calls ran at the same time at most.
    package var callsAtATime: Int { running.withLock(\.most) }

    /// The client's callback.
    package func call(_ value: Value) {
        let isFirst = running.withLock { running in
            running.now += 1
            running.total += 1
            running.most = max(running.most, running.now)
            return running.total == 1
        }
        if isFirst {
            entered.signal()
            try? hold.wait(for: "the client to be released")
        }
        values.record(value)
        running.withLock { $0.now -= 1 }
    }

    /// Waits until the first call has begun.
    package func waitForFirstCall() throws { try entered.wait(for: "the client to be called") }

    /// Releases the first call, after the queue has begun what was put on it before.
    package func release() throws {
        let passed = DispatchSemaphore(value: 0)
        for _ in 0..<10 {
            queue.async { passed.signal() }
            try passed.wait(for: "the queue to come to it")
        }
        hold.signal()
    }
}
