// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import Synchronization

/// What is behind a monitor: takes paths from the engine, and puts what the client has not been told on its queue.
final class PathObserver: PathSubscriber {
    typealias Handler = @Sendable (NWPath) -> Void

    let restriction: PathRestriction
    let source = PathSource()
    private let state = Mutex(State())

    private enum Phase {
        case idle, started, cancelled
    }

    private struct State {
        var phase = Phase.idle
        var queue: DispatchQueue?
        var handler: Handler?
        var current: NWPath?
        /// What a handler was told last.
        var told: NWPath?
        var isDeliveryQueued = false
        var subscription: CancellationToken?
        /// Sequences that end with the monitor.
        var sequences: [ObjectIdentifier: PathSequenceObserver] = [:]

        /// The queue to put a delivery on, where there is news for the handler and none is on its way.
        mutating func delivery() -> DispatchQueue? {
            guard phase == .started, handler != nil, let current, current != told, !isDeliveryQueued else { return nil }
            isDeliveryQueued = true
            return queue
        }
    }

    init(_ restriction: PathRestriction) {
        self.restriction = restriction
    }

    var handler: Handler? { state.withLock { $0.handler } }
    var currentPath: NWPath { state.withLock { $0.current } ?? .unknown }
    var queue: DispatchQueue? { state.withLock { $0.queue } }

    func setHandler(_ handler: Handler?) {
        // What the old handler holds is let go of outside the lock: its deinitializer may call anything.
        let (queue, _) = state.withLock { state in
            let old = state.handler
            state.handler = handler
            return (state.delivery(), old)
        }
        deliver(on: queue)
    }

    // MARK: Life

    func start(_ queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .started
            state.queue = queue
            return true
        }
        guard isFirst else { return }
        guard let subscription = try? source.subscribe(self) else {
            // Where changes cannot be heard of, there is still the path as it is now.
            observe((try? source.current()) ?? NetworkPath())
            return
        }
        let isLate = state.withLock { state in
            guard state.phase == .started else { return true }
            state.subscription = subscription
            return false
        }
        if isLate { subscription.cancel() }
    }

    func cancel() {
        let (subscription, sequences, _) = state.withLock { state in
            defer {
                state.phase = .cancelled
                state.subscription = nil
                state.sequences = [:]
                // A handler often holds the monitor's owner, and would keep both alive.
                state.handler = nil
            }
            return (state.subscription, state.sequences, state.handler)
        }
        subscription?.cancel()
        for sequence in sequences.values { sequence.finish() }
    }

    // MARK: Delivery

    /// On the engine's thread.
    func observe(_ path: NetworkPath) {
        let path = NWPath(path.view(restriction))
        let queue = state.withLock { state in
            guard state.phase == .started else { return nil as DispatchQueue? }
            state.current = path
            return state.delivery()
        }
        deliver(on: queue)
    }

    private func deliver(on queue: DispatchQueue?) {
        queue?.async { self.tellHandler() }
    }

    /// On the client's queue. A burst that ended where it began is no news.
    private func tellHandler() {
        let news = state.withLock { state -> (Handler, NWPath)? in
            state.isDeliveryQueued = false
            guard state.phase == .started, let handler = state.handler, let current = state.current,
                current != state.told
            else { return nil }
            state.told = current
            return (handler, current)
        }
        if let (handler, path) = news { handler(path) }
    }

    // MARK: Sequences

    /// False where the monitor is cancelled already.
    func attach(_ sequence: PathSequenceObserver) -> Bool {
        state.withLock { state in
            guard state.phase != .cancelled else { return false }
            state.sequences[ObjectIdentifier(sequence)] = sequence
            return true
        }
    }

    func detach(_ sequence: PathSequenceObserver) {
        _ = state.withLock { $0.sequences.removeValue(forKey: ObjectIdentifier(sequence)) }
    }
}
