// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import ReachabilityKit
import Synchronization

/// Observes the host of a request and the machine's path.
final class RequestObserver: PathSubscriber {
    private struct State {
        var host: Observation?
        var path: NetworkPath?
        /// Whether NetworkManager has yet to say which network is metered.
        var isHintMissing: Bool
        /// The metered interface, until the engine knows it.
        var metered: String?
        /// Raised with each change of what is known. Several calls of `changed` may be about one change.
        var version = 0
        var tokens: [CancellationToken] = []
        var isOver = false
    }

    private let state: Mutex<State>
    private let demands: NetworkDemands
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when `present(after:)` may have something new. Must not wait.
    init(_ demands: NetworkDemands, changed: @escaping @Sendable () -> Void) {
        state = Mutex(State(isHintMissing: !demands.allowsExpensive))
        self.demands = demands
        self.changed = changed
    }

    /// What is known now. Nil as long as a part of it is missing, and if it has not changed since the given version.
    func present(after version: inout Int) -> NetworkSnapshot? {
        state.withLock { state in
            guard let host = state.host, let path = state.path, !state.isHintMissing, state.version != version else {
                return nil
            }
            version = state.version
            return NetworkSnapshot(host, path, demands, metered: state.metered)
        }
    }

    func begin(_ reference: ReachabilityRef) throws(ReachabilityError) {
        let source = PathSource()
        keep(try reference.observe { [weak self] state in self?.observe(state.observation) })
        keep(try source.subscribe(self))
        guard !demands.allowsExpensive else { return }
        // The path's first update does not wait for NetworkManager. The limit is that of the bus's answer.
        DispatchQueue.global().async { [weak self] in
            let path = try? source.current(hintTimeout: .milliseconds(250))
            self?.takeHint(path?.interfaces.first(where: \.isMetered)?.name)
        }
    }

    func end() {
        let tokens = state.withLock { state in
            state.isOver = true
            defer { state.tokens = [] }
            return state.tokens
        }
        for token in tokens { token.cancel() }
    }

    private func keep(_ token: CancellationToken) {
        state.withLock { $0.tokens.append(token) }
    }

    // MARK: Events

    private func observe(_ host: Observation) {
        state.withLock { state in
            state.host = host
            state.version += 1
        }
        changed()
    }

    /// Called on the engine's thread.
    func observe(_ path: NetworkPath) {
        let isNew = state.withLock { state in
            guard !state.isOver, state.path != path else { return false }
            state.path = path
            state.version += 1
            // The engine has NetworkManager's answer, and follows it.
            if path.connectivity != .unknown || path.interfaces.contains(where: \.isMetered) { state.metered = nil }
            return true
        }
        if isNew { changed() }
    }

    private func takeHint(_ metered: String?) {
        state.withLock { state in
            state.isHintMissing = false
            state.version += 1
            let isKnown = state.path.map { $0.connectivity != .unknown } ?? false
            if !isKnown { state.metered = metered }
        }
        changed()
    }
}
