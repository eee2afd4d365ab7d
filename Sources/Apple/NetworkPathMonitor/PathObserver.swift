// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Routes

/// The inside of a monitor: takes paths from the engine, and delivers each new one on the client's queue.
final class PathObserver: PathSubscriber {
    typealias Handler = @Sendable (NWPath) -> Void

    let restriction: PathRestriction
    let source = PathSource()
    private let client = QueuedHandler<NWPath>()
    private let state = Lock(State())

    private enum Phase {
        case idle, started, cancelled
    }

    private struct State {
        var phase = Phase.idle
        var subscription: CancellationToken?
        /// The sequences, which end with the monitor.
        var sequences: [ObjectIdentifier: PathSequenceObserver] = [:]
    }

    init(_ restriction: PathRestriction) {
        self.restriction = restriction
    }

    var handler: Handler? { client.handler }
    var currentPath: NWPath { client.newest ?? .unknown }
    var queue: DispatchQueue? { client.queue }

    func setHandler(_ handler: Handler?) { client.setHandler(handler) }

    // MARK: Life

    func start(_ queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .started
            client.begin(on: queue)
            return true
        }
        guard isFirst else { return }
        guard let subscription = try? source.subscribe(self) else {
            // Changes cannot be observed. The present path alone is told.
            return observe((try? source.current()) ?? NetworkPath())
        }
        let isStarted = state.withLock { state in
            guard state.phase == .started else { return false }
            state.subscription = subscription
            return true
        }
        if !isStarted { subscription.cancel() }
    }

    func cancel() {
        // A handler often holds the monitor's owner, which would keep both alive.
        client.end()
        let (subscription, sequences) = state.withLock { state in
            defer {
                state.phase = .cancelled
                state.subscription = nil
                state.sequences = [:]
            }
            return (state.subscription, state.sequences)
        }
        subscription?.cancel()
        for sequence in sequences.values { sequence.finish() }
    }

    /// Called on the engine's thread.
    func observe(_ path: NetworkPath) { client.note(NWPath(path.view(restriction))) }

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
