// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Synchronization

/// One period of a reference being scheduled. Keeps the reference alive until its end, as on Apple's systems.
final class Registration: WatchSubscriber {
    let sink: DeliverySink
    private let state: Mutex<State>

    private struct State {
        /// Nil after the end. The engine may hold this object a little longer, and must not be the one that lets go of
        /// the reference: with it go the callback and what that holds, which is the client's code.
        var reference: ReachabilityRef?
        var machine: RegistrationState
        var resolution: Resolution?
    }

    /// - Parameters:
    ///   - known: what the client can be taken to know already.
    ///   - resolution: what the name is known to resolve to without asking.
    init(_ reference: ReachabilityRef, sink: DeliverySink, known: Observation?, resolution: Resolution?) {
        self.sink = sink
        state = Mutex(
            State(reference: reference, machine: RegistrationState(known: known), resolution: resolution))
    }

    /// What the name was last resolved to; nil as long as it was not.
    var resolution: Resolution? { state.withLock(\.resolution) }

    func observe(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        let isDue = state.withLock { state in
            if let resolution { state.resolution = resolution }
            return state.machine.observe(observation)
        }
        return isDue ? self : nil
    }

    /// Runs where the client wants its callbacks.
    func deliver() {
        let delivery = state.withLock { state in
            state.machine.beginDelivery().map { (news: $0, reference: state.reference) }
        }
        guard let delivery else { return }
        delivery.reference?.callback?(delivery.news.flags)
    }

    func end() {
        // Let go of outside the lock.
        _ = state.withLock { state in
            state.machine.end()
            return state.reference.take()
        }
    }
}
