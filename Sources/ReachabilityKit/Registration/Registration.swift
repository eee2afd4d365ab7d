// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Synchronization

/// One period of a reference being scheduled. Keeps the reference alive, as on Apple's systems.
final class Registration: WatchSubscriber {
    let reference: ReachabilityRef
    private let sink: DeliverySink
    private let state: Mutex<State>

    private struct State {
        var machine: RegistrationState
        var resolution: Resolution?
    }

    /// - Parameters:
    ///   - known: what the client can be taken to know already.
    ///   - resolution: what the name is known to resolve to without asking.
    init(_ reference: ReachabilityRef, sink: DeliverySink, known: Observation?, resolution: Resolution?) {
        self.reference = reference
        self.sink = sink
        state = Mutex(State(machine: RegistrationState(known: known), resolution: resolution))
    }

    /// What the name was last resolved to; nil as long as it was not.
    var resolution: Resolution? { state.withLock(\.resolution) }

    func observe(_ verdict: Verdict, _ resolution: Resolution?) {
        let isNews = state.withLock { state in
            if let resolution { state.resolution = resolution }
            return state.machine.observe(Observation(verdict))
        }
        guard isNews else { return }
        reference.stack.engineHost.counters.count { $0.deliveries += 1 }
        sink.deliver { self.deliver() }
    }

    /// Runs where the client wants its callbacks.
    private func deliver() {
        guard let news = state.withLock({ $0.machine.beginDelivery() }) else { return }
        reference.callback?(news.flags)
    }

    func end() {
        state.withLock { $0.machine.end() }
    }
}
