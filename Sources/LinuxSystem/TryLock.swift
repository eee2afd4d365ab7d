// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A lock that nobody waits for.
package struct TryLock: ~Copyable, Sendable {
    private let isTaken = Atomic(false)

    package init() {}

    /// Returns the result of `body`, or nil if another thread holds the lock.
    @inline(__always)
    package func take(_ body: () -> Bool?) -> Bool? {
        guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return body()
    }
}
