// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Glibc
package import ReachabilityLinuxSystem

/// The limit of every wait in the tests. Nothing takes as long, even on a busy machine, so reaching it means that what a test
/// waits for never comes.
package enum WaitLimit {
    package static let seconds = 120
    package static let milliseconds = Int32(seconds * 1000)
    package static var end: DispatchTime { .now() + .seconds(seconds) }

    /// Waits for a condition that another thread makes true without signalling it. What does not hold soon is looked at less
    /// and less often, so that the waiting leaves the processors to what is waited for. Nothing else in the tests sleeps, but for
    /// the same function for tasks.
    package static func wait(
        for what: String, within limit: Int = WaitLimit.seconds, until holds: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + .seconds(limit)
        var turns = 0
        var pause: useconds_t = 100
        while try !holds() {
            guard ContinuousClock.now < end else { throw WaitTimeout(what, after: limit) }
            turns += 1
            if turns <= 100 {
                sched_yield()
            } else {
                usleep(pause)
                pause = min(2 * pause, longestPause)
            }
        }
    }

    /// In microseconds.
    private static let longestPause: useconds_t = 20_000
}

/// A wait reached its limit.
package struct WaitTimeout: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String, after limit: Int = WaitLimit.seconds) {
        description = "waited \(limit) s in vain for \(what)"
    }
}

extension DispatchSemaphore {
    /// Waits until it is signalled.
    package func wait(for what: String, within limit: Int = WaitLimit.seconds) throws(WaitTimeout) {
        guard wait(timeout: .now() + .seconds(limit)) == .success else { throw WaitTimeout(what, after: limit) }
    }
}

extension EventLoop {
    /// Blocks the thread of the loop, as on a busy machine, until the returned semaphore is signalled.
    package func block() throws(WaitTimeout) -> DispatchSemaphore {
        let (blocked, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        enqueue {
            blocked.signal()
            try? freed.wait(for: "the loop to be released")
        }
        try blocked.wait(for: "the loop to be blocked")
        return freed
    }
}

extension DispatchQueue {
    /// Waits until all blocks that were put on the queue before have run. For serial queues.
    package func finish(_ what: String = "what is on the queue") throws(WaitTimeout) {
        let done = DispatchSemaphore(value: 0)
        async { done.signal() }
        try done.wait(for: what)
    }
}
