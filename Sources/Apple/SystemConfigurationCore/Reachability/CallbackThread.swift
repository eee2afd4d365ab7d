// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityReferences

/// Callbacks that one thread runs, one after the other.
package final class CallbackQueue: CallbackRunner {
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

    /// Runs the callbacks on the calling thread until `end`.
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

    /// Makes `run` return after the callbacks that were delivered before.
    func end() {
        state.withLock { $0.isOver = true }
        state.broadcast()
    }
}

/// The thread for callbacks of all targets that are scheduled on a thread. It ends when the last of them lets it go.
package final class CallbackThread: CallbackRunner {
    private struct Present {
        weak var thread: CallbackThread?
    }

    private static let present = Lock(Present())

    private let queue = CallbackQueue()
    private let epoch = ForkEpoch()

    /// The thread that there is, or a new one.
    static func current() throws(Errno) -> CallbackThread {
        try present.withLock { (present) throws(Errno) in
            // The child of a fork has none of its parent's threads.
            if let thread = present.thread, thread.epoch.isCurrent { return thread }
            let thread = try CallbackThread()
            present.thread = thread
            return thread
        }
    }

    private init() throws(Errno) {
        // As much stack as a main thread has (setrlimit(2), RLIMIT_STACK): a client's callback may need it.
        try Thread.start(name: "callbacks", stackBytes: 8 << 20) { [queue] in queue.run() }.detach()
    }

    deinit {
        queue.end()
    }

    package func deliver(_ work: @escaping @Sendable () -> Void) {
        queue.deliver(work)
    }
}

extension LegacyTarget {
    /// Schedules callbacks on the library's thread, for clients without a queue or a run loop.
    package func scheduleOnThread() -> Bool {
        do throws(Errno) {
            return setQueue(.target(try CallbackThread.current()))
        } catch {
            return LegacyStatus.fail(LegacyStatus(rawValue: error.rawValue))
        }
    }
}
