// SPDX-License-Identifier: Apache-2.0

package import Synchronization

extension Mutex where Value: ~Copyable {
    /// Takes something out under the lock, and releases it when the lock is free: a deinitializer of the client's may call
    /// anything. With `_ = withLock { … }` an optimised program may release it before.
    package borrowing func remove<Removed>(_ body: (inout sending Value) -> sending Removed) {
        let removed = withLock(body)
        withExtendedLifetime(removed) {}
    }
}
