// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink

/// The time from scheduling a reference to unscheduling it. Keeps the reference alive until its end, as on Apple's systems.
final class Registration: Subscriber, DueCallback {
    let place: CallbackPlace
    /// The keys under which the target is watched.
    let keys: RoutingKeys
    private let state: Lock<State>

    private struct State {
        /// Nil after the end. The engine may hold the registration a little longer, and must not be the one that releases the
        /// reference last: that would release the callback, too, and the deinitializers of what the callback holds are client
        /// code.
        var reference: ReachabilityRef?
        var delivery: ClientDelivery<Observation>
        // Stands here because the padding has room for it: there may be very many registrations.
        var hasFailed = false
        var resolution: Resolution?
    }

    /// - Parameters:
    ///   - known: the answer that the client is assumed to know already.
    ///   - resolution: the resolution of a name, if it is known without a lookup.
    init(_ reference: ReachabilityRef, place: CallbackPlace, known: Observation?, resolution: Resolution?) {
        self.place = place
        keys = reference.keysOfWatch
        state = Lock(
            State(reference: reference, delivery: ClientDelivery(known: known), resolution: resolution))
    }

    /// The last resolution of a name; nil before the first.
    var resolution: Resolution? { state.withLock(\.resolution) }

    /// Whether the engine has failed, so that nothing follows.
    var hasFailed: Bool { state.withLock(\.hasFailed) }

    func end(because error: ReachabilityError) { state.withLock { $0.hasFailed = true } }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        guard let answer = watch.answer else { return }
        let isDue = state.withLock { state in
            if let resolution = watch.resolution { state.resolution = resolution }
            state.delivery.note(answer)
            return state.delivery.claim()
        }
        if isDue { batch.add(self) }
    }

    /// Calls the client's callback, if that is still due. Runs where the client wants its callbacks.
    func callBack() {
        undisturbed {
            guard let reference = state.withLock(\.reference), let call = reference.beginCall(of: self) else { return }
            callingOut { call.callback?(call.flags) }
            state.withLock { $0.delivery.finish() }
            // The reference may have been scheduled again during the call.
            reference.endCall()?.callBackSoonIfDue()
        }
    }

    /// The value to call the client with. Nil also while the client is being called, perhaps by an earlier registration.
    func begin(duringCall isCalling: Bool) -> Observation? {
        state.withLock { state in
            guard isCalling else { return state.delivery.begin() }
            state.delivery.putOff()
            return nil
        }
    }

    private func callBackSoonIfDue() {
        if state.withLock({ $0.delivery.claim() }) { place.run { self.callBack() } }
    }

    func end() {
        // The reference is released outside the lock.
        state.remove { state in
            state.delivery.end()
            return state.reference.take()
        }
    }
}
