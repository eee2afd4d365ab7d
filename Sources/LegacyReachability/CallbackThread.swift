// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Callbacks that wait for a thread, which runs them one after the other.
package final class CallbackQueue: DeliveryTarget {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isOver = false
    }

    private let state = ConditionLock(State())

    package init() {}

    package func deliver(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(work) }
        state.broadcast()
    }

    /// Runs what is delivered, on the calling thread, until `end`.
    package func run() {
        while true {
            state.wait(atMost: nil) { $0.waiting.isEmpty && !$0.isOver }
            let (due, isOver) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isOver)
            }
            for work in due { work() }
            if isOver { return }
        }
    }

    /// Has `run` return when it has run what was delivered before.
    func end() {
        state.withLock { $0.isOver = true }
        state.broadcast()
    }
}

/// A thread of ours for callbacks, which ends when this object is let go of.
final class CallbackThread: DeliveryTarget {
    private let queue = CallbackQueue()

    init() throws(Errno) {
        // Nobody knows what a client's callback needs: as much as a main thread has (setrlimit(2), RLIMIT_STACK).
        try Thread.start(name: "callbacks", stackBytes: 8 << 20) { [queue] in queue.run() }.detach()
    }

    deinit {
        queue.end()
    }

    func deliver(_ work: @escaping @Sendable () -> Void) {
        queue.deliver(work)
    }
}

extension LegacyTarget {
    /// Has callbacks made on a thread of ours, for clients that have neither queue nor run loop.
    package func scheduleOnThread() -> Bool {
        do throws(Errno) {
            return setQueue(.target(try CallbackThread()))
        } catch {
            LegacyStatus.last = LegacyStatus(rawValue: error.rawValue)
            return false
        }
    }
}
