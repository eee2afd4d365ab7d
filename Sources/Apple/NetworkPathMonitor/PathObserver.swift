// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityRoutes

/// The implementation of a monitor: takes paths from the engine, and delivers each new one on the client's queue.
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
        /// The number of the last start. Work that an earlier start has begun ends when it notices another number.
        var starts = 0
        var subscription: CancellationToken?
        /// The sequences, which end together with the monitor.
        var sequences: [ObjectIdentifier: PathSequenceObserver] = [:]

        func isStarted(_ number: Int) -> Bool { phase == .started && starts == number }
    }

    init(_ restriction: PathRestriction) {
        self.restriction = restriction
    }

    var handler: Handler? { client.handler }
    /// The newest path that was delivered; before the first one, the kernel is asked.
    var currentPath: NWPath { client.newest ?? NWPath(present.view(restriction)) }
    private var present: NetworkPath { (try? source.current()) ?? NetworkPath() }
    var queue: DispatchQueue? { if case .queue(let queue)? = client.place { queue } else { nil } }

    func setHandler(_ handler: Handler?) { client.setHandler(handler) }

    // MARK: Life

    func start(_ queue: DispatchQueue) {
        let number = state.withLock { state -> Int? in
            guard state.phase != .started else { return nil }
            state.phase = .started
            state.starts += 1
            client.begin(at: .queue(queue))
            return state.starts
        }
        if let number { follow(queue, number) }
    }

    /// Delivers the present path and each change. If the engine fails, the present path is the last one. If changes cannot be
    /// observed, the present path is delivered, and observing is tried again after a second, then after two, and in the end once
    /// a minute, because nothing announces that descriptors are available again.
    private func follow(_ queue: DispatchQueue, _ number: Int, pause: Int = 1) {
        do throws(ReachabilityError) {
            let subscription = try source.observe(failed: { [self] _ in note(present, number) }) { [self] in
                note($0, number)
            }
            let isWanted = state.withLock { state in
                guard state.isStarted(number) else { return false }
                state.subscription = subscription
                return true
            }
            if !isWanted { subscription.cancel() }
        } catch {
            note(present, number)
            queue.asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in
                guard let self, state.withLock({ $0.isStarted(number) }) else { return }
                follow(queue, number, pause: min(2 * pause, 60))
            }
        }
    }

    func cancel() {
        let (place, subscription, sequences) = state.withLock { state in
            state.phase = .cancelled
            defer { state.sequences = [:] }
            return (client.stop(), state.subscription.take(), state.sequences)
        }
        withExtendedLifetime(place) {}
        subscription?.cancel()
        for sequence in sequences.values { sequence.finish() }
    }

    private func note(_ path: NetworkPath, _ number: Int) {
        state.withLock { if $0.isStarted(number) { client.note(NWPath(path.view(restriction))) } }
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
