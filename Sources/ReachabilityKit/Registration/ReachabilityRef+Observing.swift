// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Synchronization

/// What the engine saw of a target at one moment.
package struct ObservedState: Sendable {
    /// What a client can see of it.
    package let observation: Observation
    /// For a name, what it was resolved to.
    let resolution: Resolution?
}

/// Somebody's wish to be told of sightings, until it is cancelled.
package final class Subscription: Sendable {
    private let reference: ReachabilityRef
    private let observer: StateObserver
    private let isActive = Mutex(true)

    fileprivate init(_ reference: ReachabilityRef, _ observer: StateObserver) {
        self.reference = reference
        self.observer = observer
    }

    /// No sighting begins to be delivered after this.
    package func cancel() {
        guard reference.namespace.isThisProcess else { return }
        let wasActive = isActive.withLock { isActive in
            defer { isActive = false }
            return isActive
        }
        guard wasActive else { return }
        observer.end()
        reference.namespace.sharedEngine.remove(observer, from: reference.target, reference.keys)
    }
}

/// Passes on what a client could see the difference of.
final class StateObserver: WatchSubscriber {
    private struct State {
        var body: (@Sendable (ObservedState) -> Void)?
        var last: Observation?
    }

    private let state: Mutex<State>

    init(_ body: @escaping @Sendable (ObservedState) -> Void) {
        state = Mutex(State(body: body))
    }

    /// Nothing begins to be passed on after this.
    func end() {
        _ = state.withLock { $0.body.take() }
    }

    func observe(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        let body = state.withLock { state -> (@Sendable (ObservedState) -> Void)? in
            guard state.last != observation else { return nil }
            state.last = observation
            return state.body
        }
        body?(ObservedState(observation: observation, resolution: resolution))
        return nil
    }
}

extension ReachabilityRef {
    /// Has `body` told of the present state, for a name as soon as it is resolved, and then of each change.
    ///
    /// It is called on the engine's thread, so it must not wait: it passes on what it is told.
    package func observe(
        _ body: @escaping @Sendable (ObservedState) -> Void
    ) throws(ReachabilityError) -> Subscription {
        let engine = try namespace.sharedEngine.acquire(for: namespace)
        let observer = StateObserver(body)
        engine.add(observer, to: target, keys)
        return Subscription(self, observer)
    }

    /// Whether there is something to be resolved.
    package var isName: Bool { if case .name = target { true } else { false } }

    /// The present flags, for a name those of the addresses in the sighting: nothing is resolved.
    package func flags(after state: ObservedState) throws(ReachabilityError) -> ReachabilityFlags {
        isName ? try verdict(after: state).flags : try getFlags()
    }

    /// The present verdict, for a name on the addresses in the sighting: nothing is resolved.
    package func verdict(after state: ObservedState) throws(ReachabilityError) -> Verdict {
        guard case .name(let host) = target else { return try currentVerdict() }
        return try verdict(on: host, resolution: state.resolution)
    }

    /// The present answer with its reasons, for a name about the addresses in the sighting: nothing is resolved.
    package func explanation(after state: ObservedState) throws(ReachabilityError) -> Explanation {
        guard case .name(let host) = target, let resolution = state.resolution else { return try explain() }
        return try explain(host, resolution)
    }
}
