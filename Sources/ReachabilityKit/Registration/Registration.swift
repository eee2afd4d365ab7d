// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One period of a reference being scheduled. Keeps the reference alive, as on Apple's systems.
final class Registration: WatchSubscriber {
    let reference: ReachabilityRef
    private let sink: DeliverySink
    private let state: Mutex<RegistrationState>

    init(_ reference: ReachabilityRef, sink: DeliverySink, known: Observation?) {
        self.reference = reference
        self.sink = sink
        state = Mutex(RegistrationState(known: known))
    }

    func observe(_ verdict: Verdict) {
        guard state.withLock({ $0.observe(Observation(verdict)) }) else { return }
        reference.stack.engineHost.counters.count { $0.deliveries += 1 }
        sink.deliver { self.deliver() }
    }

    /// Runs where the client wants its callbacks.
    private func deliver() {
        guard let news = state.withLock({ $0.beginDelivery() }) else { return }
        reference.callback?(news.flags)
    }

    func end() {
        state.withLock { $0.end() }
    }
}
