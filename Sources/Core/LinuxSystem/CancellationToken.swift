// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends an operation, such as a lookup or an observation.
package final class CancellationToken: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// - Parameter action: ends the operation. Runs at most once, on the thread that calls `cancel`, and is then released.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Mutex(action)
    }

    /// Ends the operation. May be called from any thread and more than once.
    ///
    /// Does nothing while another thread is inside this call. So it never waits, not even in the child of a fork, where a
    /// thread of the parent may hold the lock for good.
    package func cancel() {
        let action = self.action.withLockIfAvailable { $0.take() } ?? nil
        action?()
    }
}
