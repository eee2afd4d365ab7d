// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Glibc

/// The one limit of every wait in the tests. Far longer than anything takes on a busy machine, so that reaching it means
/// that what is waited for never comes.
package enum WaitLimit {
    package static let seconds = 120
    package static let milliseconds = Int32(seconds * 1000)
    package static var end: DispatchTime { .now() + .seconds(seconds) }

    /// Waits for what happens on another thread without a word to anybody.
    package static func wait(
        for what: String, within limit: Int = WaitLimit.seconds, until holds: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + .seconds(limit)
        while try !holds() {
            guard ContinuousClock.now < end else { throw WaitTimeout(what, after: limit) }
            sched_yield()
        }
    }
}

/// What was waited for did not come.
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

extension DispatchQueue {
    /// Waits until everything has run that was put on the queue before; on a serial queue.
    package func finish(_ what: String = "what is on the queue") throws(WaitTimeout) {
        let done = DispatchSemaphore(value: 0)
        async { done.signal() }
        try done.wait(for: what)
    }
}
