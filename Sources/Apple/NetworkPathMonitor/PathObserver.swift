// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityRoutes

/// The inside of a monitor: takes paths from the engine, and delivers each new one on the client's queue.
final class PathObserver: Sendable {
    typealias Handler = @Sendable (NWPath) -> Void

    let restriction: PathRestriction
    let source = PathSource()
    private let client = ClientHandler<NWPath>()
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
    var queue: DispatchQueue? { if case .queue(let queue)? = client.place { queue } else { nil } }

    func setHandler(_ handler: Handler?) { client.setHandler(handler) }

    // MARK: Life

    func start(_ queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .started
            client.begin(at: .queue(queue))
            return true
        }
        if isFirst { follow(queue) }
    }

    /// Takes the present path and each change. Where changes cannot be observed, the present path counts, and it is tried again
    /// after a second, then after two, and at last once a minute: nothing announces that there are descriptors.
    private func follow(_ queue: DispatchQueue, pause: Int = 1) {
        do throws(ReachabilityError) {
            let subscription = try source.observe { [self] in note($0) }
            let isWanted = state.withLock { state in
                guard state.phase == .started else { return false }
                state.subscription = subscription
                return true
            }
            if !isWanted { subscription.cancel() }
        } catch {
            note((try? source.current()) ?? NetworkPath())
            queue.asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in
                guard let self, state.withLock({ $0.phase == .started }) else { return }
                follow(queue, pause: min(2 * pause, 60))
            }
        }
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

    private func note(_ path: NetworkPath) { client.note(NWPath(path.view(restriction))) }

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
