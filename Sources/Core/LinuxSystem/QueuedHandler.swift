// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Calls a client's handler on a queue with the newest value, as `ClientDelivery` decides. Both may be replaced at any time: a new
/// handler is not called while the old one runs.
package final class QueuedHandler<Value: Equatable & Sendable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    private struct State {
        var delivery = ClientDelivery<Value>()
        var handler: Handler?
        var queue: DispatchQueue?
    }

    private let state = Lock(State())

    package init() {}

    package var newest: Value? { state.withLock(\.delivery.newest) }
    package var handler: Handler? { state.withLock(\.handler) }
    package var queue: DispatchQueue? { state.withLock(\.queue) }

    /// Has the handler called soon, unless it knows this value.
    package func note(_ value: Value) {
        deliver { $0.delivery.note(value) }
    }

    package func begin(on queue: DispatchQueue) {
        deliver { $0.queue = queue }
    }

    /// A new handler is called with the newest value if there was none before. With nil, no further call begins.
    package func setHandler(_ new: Handler?) {
        // The old handler is released outside the lock: a deinitializer of the client's may call anything.
        var old: Handler?
        deliver { state in
            old = state.handler
            state.handler = new
            if old == nil { state.delivery.forgetWhatWasTold() }
        }
        withExtendedLifetime(old) {}
    }

    /// Ends what was before. A handler that is set after this is called on another queue, with what is noted from now on.
    package func restart(on queue: DispatchQueue) {
        setHandler(nil)
        state.withLock { state in
            state.queue = queue
            state.delivery.forgetValues()
            // A block that is on its way to the old queue finds another one here, or on the same queue what is due then.
            state.delivery.putOff()
        }
    }

    /// After this, no further call begins.
    package func end() {
        state.remove { state in
            state.delivery.end()
            return state.handler.take()
        }
    }

    private func deliver(after change: (inout State) -> Void) {
        let queue = state.withLock { state -> DispatchQueue? in
            change(&state)
            guard let queue = state.queue, state.handler != nil, state.delivery.claim() else { return nil }
            return queue
        }
        guard let queue else { return }
        queue.async {
            // Not inside: a function for any value makes metadata before its first line.
            beginWork()
            defer { endWork() }
            self.callBack(on: queue)
        }
    }

    @inline(never)
    private func callBack(on queue: DispatchQueue) {
        let call = state.withLock { state -> (handler: Handler, value: Value)? in
            guard state.queue === queue else { return nil }
            guard let handler = state.handler else {
                state.delivery.putOff()
                return nil
            }
            return state.delivery.begin().map { (handler, $0) }
        }
        guard let call else { return }
        notAtWork { call.handler(call.value) }
        deliver { $0.delivery.finish() }
    }
}
