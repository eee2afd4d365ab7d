// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends something that is under way, such as a lookup or an observation.
package final class CancellationToken: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// - Parameter action: ends it. Runs at most once, on the thread that calls `cancel`, and is released then.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Mutex(action)
    }

    /// Ends it. May be called from any thread and more than once.
    ///
    /// Does nothing while another thread is inside this call, and therefore never waits: in the child of a fork the
    /// lock may be held for good by a thread of the parent.
    package func cancel() {
        let action = self.action.withLockIfAvailable { $0.take() } ?? nil
        action?()
    }
}
