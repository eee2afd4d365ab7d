// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemConfiguration

/// Collects what callbacks say, and lets a test wait for the next.
final class Calls: Sendable {
    private struct State {
        var seen: [SCNetworkReachabilityFlags] = []
        var taken = 0
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    func record(_ flags: SCNetworkReachabilityFlags) {
        state.withLock { $0.seen.append(flags) }
        arrivals.signal()
    }

    struct Impatience: Error, CustomStringConvertible {
        let seen: [SCNetworkReachabilityFlags]
        var description: String { "waited for a callback after \(seen.map(\.rawValue))" }
    }

    /// Blocks until the next callback has come. The limit is far longer than one takes: at it, none will come.
    func next() throws -> SCNetworkReachabilityFlags {
        guard arrivals.wait(timeout: .now() + 30) == .success else { throw Impatience(seen: all) }
        return state.withLock { state in
            defer { state.taken += 1 }
            return state.seen[state.taken]
        }
    }

    var all: [SCNetworkReachabilityFlags] { state.withLock(\.seen) }

    /// How many came that `next` has not returned yet.
    var untaken: Int { state.withLock { $0.seen.count - $0.taken } }
}

/// Counts calls of a context's functions.
final class Counter: Sendable {
    private let value = Atomic(0)

    func increment() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}
