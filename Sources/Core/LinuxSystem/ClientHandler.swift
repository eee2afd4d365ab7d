// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// A place where callbacks run. It is one word in size, because every registration holds one, and there may be very many.
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

/// Calls a client's handler in its place with the newest value, as `ClientDelivery` decides. Both handler and place may be
/// replaced at any time; a new handler is not called while the old one is running. The class does not require `Equatable` values,
/// because Swift's runtime would then search for the conformance when it makes the class.
package final class ClientHandler<Value: Sendable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    private struct State {
        var delivery = ClientDelivery<Value>()
        var handler: Handler?
        var place: CallbackPlace?
        /// Increases with each place. A block on its way to an earlier place finds another number, and does nothing.
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

    /// Makes the handler due to be called with this value, unless it knows the value already.
    package func note(_ value: Value) {
        deliver { $0.delivery.note(value) }
    }

    /// Calls the handler at `place` with the values that are noted from now on.
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
        // The old handler is released outside the lock, because a deinitializer of the client's may call anything.
        var old: Handler?
        deliver { state in
            old = state.handler
            state.handler = new
            if old == nil { state.delivery.forgetWhatWasTold() }
        }
        withExtendedLifetime(old) {}
    }

    /// Ends all earlier calls. A handler that is set after this is called in another place, with the values that are noted from
    /// now on.
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
            // Not inside the function, because a generic function makes metadata before its first line.
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
