// SPDX-License-Identifier: Apache-2.0

/// Ends an operation, such as a lookup or an observation. In the child of a fork it ends nothing: the operation is the parent's.
package final class CancellationToken: Sendable {
    private let epoch = ForkEpoch()
    private let action: Lock<Action?>

    private final class Action: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter action: ends the operation. Runs at most once, on the thread that calls `cancel`, and is then released.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Lock(Action(action))
    }

    deinit {
        if !epoch.isCurrent { action.withLockIfAvailable { ForkEpoch.abandon($0) } }
    }

    /// Ends the operation. May be called from any thread and more than once.
    package func cancel() {
        guard epoch.isCurrent else { return }
        action.withLock { $0.take() }?.run()
    }
}

/// Cancels a token at the end of something that may end before the token is there, such as a stream.
package final class EndOfStream: Sendable {
    private struct State {
        var token: CancellationToken?
        var hasEnded = false
    }

    private let state = Lock(State())

    package init() {}

    package func cancels(_ token: CancellationToken) {
        let isLate = state.withLock { state in
            if !state.hasEnded { state.token = token }
            return state.hasEnded
        }
        if isLate { token.cancel() }
    }

    package func come() {
        let token = state.withLock { state in
            state.hasEnded = true
            return state.token.take()
        }
        token?.cancel()
    }
}
