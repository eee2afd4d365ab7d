// SPDX-License-Identifier: Apache-2.0

/// Ends an operation, such as a lookup or an observation. In the child of a fork it ends nothing, because the operation is the
/// parent's.
package final class CancellationToken: Sendable {
    private let epoch = ForkEpoch()
    private let action: Lock<Action?>
    /// The last property, because stored properties are released in the order of their declaration.
    private let released = EndOfRelease()

    private final class Action: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter action: ends the operation. Runs at most once, on the thread that calls `cancel`, and is then released.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Lock(Action(action))
    }

    deinit {
        EndOfRelease.begin()
        if !epoch.isCurrent { action.withLockIfAvailable { ForkEpoch.abandon($0) } }
    }

    /// Ends the operation. May be called from any thread and more than once.
    package func cancel() {
        undisturbed {
            guard epoch.isCurrent else { return }
            action.withLock { $0.take() }?.run()
        }
    }
}

/// Cancels a token that is made later than this object. A stream, for example, may end before the observation that feeds it has
/// begun.
package final class LateCancellation: Sendable {
    private struct State {
        var token: CancellationToken?
        var isCancelled = false
    }

    private let state = Lock(State())

    package init() {}

    /// Stores the token, or cancels it if `cancel` was called before.
    package func hold(_ token: CancellationToken) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.token = token }
            return state.isCancelled
        }
        if isLate { token.cancel() }
    }

    package func cancel() {
        let token = state.withLock { state in
            state.isCancelled = true
            return state.token.take()
        }
        token?.cancel()
    }
}
