// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Where callbacks run. It is one word in size, as every registration holds one, and there may be very many.
package enum CallbackPlace: Sendable {
    /// Runs callbacks in another way, such as on a run loop or a plain thread. Declared first so that it is stored as a
    /// plain pointer: valgrind and other leak checkers then find the object.
    indirect case target(any CallbackRunner)
    case queue(DispatchQueue)

    /// Runs `work` there later.
    package func run(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: work)
        case .target(let target): target.deliver(work)
        }
    }
}

/// Runs callbacks somewhere other than on a dispatch queue.
package protocol CallbackRunner: AnyObject, Sendable {
    /// Runs `work` later, in order, and never inside this call.
    func deliver(_ work: @escaping @Sendable () -> Void)
}

/// Calls a client's handler in its place with the newest value, as `ClientDelivery` decides. Both may be replaced at any time: a new
/// handler is not called while the old one runs. That values are equatable is not said of the class: the runtime would search for it
/// when it makes the class.
package final class ClientHandler<Value: Sendable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    private struct State {
        var delivery = ClientDelivery<Value>()
        var handler: Handler?
        var place: CallbackPlace?
        /// Counts the places. A block that is on its way to another one finds nothing to do there.
        var places = 0
    }

    private let state = Lock(State())
    private let claim: @Sendable (inout ClientDelivery<Value>) -> Bool
    private let next: @Sendable (inout ClientDelivery<Value>) -> Value?

    package init() where Value: Equatable {
        (claim, next) = ({ $0.claim() }, { $0.begin() })
    }

    package var newest: Value? { state.withLock(\.delivery.newest) }
    package var handler: Handler? { state.withLock(\.handler) }
    package var place: CallbackPlace? { state.withLock(\.place) }

    /// Has the handler called soon, unless it knows this value.
    package func note(_ value: Value) {
        deliver { $0.delivery.note(value) }
    }

    /// Calls the handler at `place` with what is noted from now on.
    package func begin(at place: CallbackPlace) {
        deliver { state in
            state.delivery.forgetValues()
            state.place = place
        }
    }

    /// No further call begins before the next `begin`. The newest value stays known. Returns the place, to be released where no lock is
    /// held.
    @discardableResult
    package func stop() -> CallbackPlace? {
        state.withLock { state in
            state.places += 1
            state.delivery.putOff()
            return state.place.take()
        }
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

    /// Ends what was before. A handler that is set after this is called in another place, with what is noted from now on.
    package func restart(at place: CallbackPlace) {
        setHandler(nil)
        stop()
        begin(at: place)
    }

    /// After this, no further call begins.
    package func end() {
        state.remove { state in
            state.delivery.end()
            return state.handler.take()
        }
    }

    private func deliver(after change: (inout State) -> Void) {
        let due = state.withLock { state -> (place: CallbackPlace, number: Int)? in
            change(&state)
            guard let place = state.place, state.handler != nil, claim(&state.delivery) else { return nil }
            return (place, state.places)
        }
        guard let due else { return }
        due.place.run {
            // Not inside: a function for any value makes metadata before its first line.
            undisturbed { self.callBack(at: due.number) }
        }
    }

    @inline(never)
    private func callBack(at number: Int) {
        let call = state.withLock { state -> (handler: Handler, value: Value)? in
            guard state.places == number else { return nil }
            guard let handler = state.handler else {
                state.delivery.putOff()
                return nil
            }
            return next(&state.delivery).map { (handler, $0) }
        }
        guard let call else { return }
        callingOut { call.handler(call.value) }
        deliver { $0.delivery.finish() }
    }
}
