// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem

/// Calls a client's handler on a queue with the newest value, as `ClientDelivery` decides.
final class QueuedHandler<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var delivery = ClientDelivery<Value>()
        var handler: (@Sendable (Value) -> Void)?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (Value) -> Void) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    /// Has the handler called soon, unless it knows this value.
    func note(_ value: Value) {
        deliver { $0.delivery.note(value) }
    }

    /// After this, no further call begins.
    func end() {
        // The handler is released outside the lock.
        state.remove { state in
            state.delivery.end()
            return state.handler.take()
        }
    }

    private func deliver(after change: (inout State) -> Void) {
        let isDue = state.withLock { state in
            change(&state)
            return state.delivery.claim()
        }
        if isDue { queue.async { self.callBack() } }
    }

    private func callBack() {
        beginWork()
        defer { endWork() }
        let due = state.withLock { state in state.delivery.begin().map { (value: $0, handler: state.handler) } }
        guard let due else { return }
        if let handler = due.handler { notAtWork { handler(due.value) } }
        deliver { $0.delivery.finish() }
    }
}
