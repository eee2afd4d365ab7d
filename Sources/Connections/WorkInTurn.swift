// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Work in order and one piece at a time, where there is no thread for it: whoever brings some does what is there, or
/// leaves it to whoever is at it already. No lock is held meanwhile.
final class WorkInTurn: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var isUnderWay = false
    }

    private let state = Mutex(State())

    /// Takes a place in the order. `run` is to follow.
    func add(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.pending.append(work) }
    }

    func run() {
        let isFirst = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard isFirst else { return }
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isUnderWay = !state.pending.isEmpty
            return state.isUnderWay ? state.pending.removeFirst() : nil
        }
    }
}
