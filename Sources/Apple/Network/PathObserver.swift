// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The inside of a monitor: takes paths from the engine, and delivers each new one on the client's queue.
final class PathObserver: PathSubscriber {
    typealias Handler = @Sendable (NWPath) -> Void

    let restriction: PathRestriction
    let source = PathSource()
    private let state = Lock(State())

    private enum Phase {
        case idle, started, cancelled
    }

    private struct State {
        var phase = Phase.idle
        var queue: DispatchQueue?
        var handler: Handler?
        var delivery = ClientDelivery<NWPath>()
        var subscription: CancellationToken?
        /// The sequences, which end with the monitor.
        var sequences: [ObjectIdentifier: PathSequenceObserver] = [:]

        /// The queue for a delivery, if one has to be put there.
        mutating func claim() -> DispatchQueue? {
            handler != nil && delivery.claim() ? queue : nil
        }
    }

    init(_ restriction: PathRestriction) {
        self.restriction = restriction
    }

    var handler: Handler? { state.withLock { $0.handler } }
    var currentPath: NWPath { state.withLock { $0.delivery.newest } ?? .unknown }
    var queue: DispatchQueue? { state.withLock { $0.queue } }

    func setHandler(_ handler: Handler?) {
        // The old handler is released outside the lock: a deinitializer of the client's may call anything.
        let (queue, old) = state.withLock { state in
            let old = state.handler
            state.handler = handler
            if old == nil { state.delivery.forgetWhatWasTold() }
            return (state.claim(), old)
        }
        withExtendedLifetime(old) { deliver(on: queue) }
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
        source.follow(self) { subscription in
            state.withLock { state in
                guard state.phase == .started else { return false }
                state.subscription = subscription
                return true
            }
        }
    }

    func cancel() {
        let (subscription, sequences, handler) = state.withLock { state in
            defer {
                state.phase = .cancelled
                state.delivery.end()
                state.subscription = nil
                state.sequences = [:]
                // A handler often holds the monitor's owner, which would keep both alive.
                state.handler = nil
            }
            return (state.subscription, state.sequences, state.handler)
        }
        withExtendedLifetime(handler) { subscription?.cancel() }
        for sequence in sequences.values { sequence.finish() }
    }

    // MARK: Delivery

    /// Called on the engine's thread.
    func observe(_ path: NetworkPath) {
        let path = NWPath(path.view(restriction))
        let queue = state.withLock { state in
            guard state.phase == .started else { return nil as DispatchQueue? }
            state.delivery.note(path)
            return state.claim()
        }
        deliver(on: queue)
    }

    private func deliver(on queue: DispatchQueue?) {
        queue?.async { self.callHandler() }
    }

    /// Called on the client's queue. Changes that cancel each other out are not reported.
    private func callHandler() {
        beginWork()
        defer { endWork() }
        let call = state.withLock { state -> (Handler, NWPath)? in
            guard let handler = state.handler else {
                state.delivery.finish()
                return nil
            }
            return state.delivery.begin().map { (handler, $0) }
        }
        guard let (handler, path) = call else { return }
        notAtWork { handler(path) }
        let queue = state.withLock { state in
            state.delivery.finish()
            return state.claim()
        }
        deliver(on: queue)
    }

    // MARK: Sequences

    /// Returns false if the monitor is cancelled.
    func attach(_ sequence: PathSequenceObserver) -> Bool {
        state.withLock { state in
            guard state.phase != .cancelled else { return false }
            state.sequences[ObjectIdentifier(sequence)] = sequence
            return true
        }
    }

    func detach(_ sequence: PathSequenceObserver) {
        state.remove { $0.sequences.removeValue(forKey: ObjectIdentifier(sequence)) }
    }
}
