// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// A file descriptor with exactly one owner, closed when the owner is done with it.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let rawValue: Int32

    /// Takes over a descriptor that nobody else closes.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    deinit {
        // EINTR from close(2) still closes on Linux, so there is nothing to repeat.
        let value = rawValue
        withoutCancellation { _ = close(value) }
    }

    /// Gives the descriptor up to somebody who will close it.
    package consuming func release() -> Int32 {
        let value = rawValue
        discard self
        return value
    }
}
