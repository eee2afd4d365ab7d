// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// A lock that is taken only if it is free. No thread ever waits for it.
package struct TryLock: ~Copyable, Sendable {
    @usableFromInline package let isTaken = Atomic(false)

    package init() {}

    /// Returns the result of `body`, or nil without calling it if another thread holds the lock.
    @inlinable @inline(__always)
    package func withLockIfFree<Value>(_ body: () -> Value) -> Value? {
        guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return body()
    }
}
