// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets one thread at a time ask something, and none of them wait.
package struct TryLock: ~Copyable, Sendable {
    private let isTaken = Atomic(false)

    package init() {}

    /// What `ask` says; nil where another thread is asking.
    @inline(__always)
    package func take(_ ask: () -> Bool?) -> Bool? {
        guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return ask()
    }
}
