// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import Synchronization

/// Collects what callbacks say, and lets a test wait until so many have come.
final class CallbackRecorder: Sendable {
    private let flags = Mutex<[ReachabilityFlags]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "callbacks")

    /// Schedules a reference so that its callbacks end up here.
    func watch(_ reference: ReachabilityRef) throws {
        reference.setCallback { [self] in record($0) }
        try reference.setDispatchQueue(queue)
    }

    /// Returns when every callback that was on its way has run.
    func finishDeliveries() {
        queue.sync {}
    }

    func record(_ flags: ReachabilityFlags) {
        self.flags.withLock { $0.append(flags) }
        arrivals.signal()
    }

    var all: [ReachabilityFlags] { flags.withLock { $0 } }

    struct Impatience: Error, CustomStringConvertible {
        let expected: Int
        let seen: [ReachabilityFlags]
        var description: String { "expected callback \(expected), saw only \(seen)" }
    }

    /// Blocks until the next callback has come, and returns it. Far longer than one can take, so that reaching the
    /// limit means that it never will.
    func next() throws -> ReachabilityFlags {
        guard arrivals.wait(timeout: .now() + 30) == .success else {
            throw Impatience(expected: all.count + 1, seen: all)
        }
        taken.withLock { $0 += 1 }
        return flags.withLock { flags in flags[taken.withLock { $0 } - 1] }
    }

    private let taken = Mutex(0)

    /// How many came that `next` has not returned yet.
    var untaken: Int { all.count - taken.withLock { $0 } }
}
