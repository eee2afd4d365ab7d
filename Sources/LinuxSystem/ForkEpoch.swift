// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@_implementationOnly import CLinux

/// Counts how often this process is the child of a fork since the package was first used.
///
/// A child shares its parent's sockets: one message it takes from a queue is one the parent never sees, and the parent
/// would then serve stale answers. So whatever holds a socket remembers the epoch it was opened in, and leaves the
/// socket alone in any other.
package enum ForkEpoch {
    private static let counter = Atomic<UInt64>(0)

    /// Registered once; the child's handler only counts, which is safe in a child of a threaded process.
    private static let handler: Int32 = pthread_atfork(nil, nil, { ForkEpoch.advance() })

    /// The epoch of this process.
    package static var current: UInt64 {
        counter.load(ordering: .relaxed)
    }

    /// Has forks counted from now on. Whoever opens a socket calls this first.
    package static func observe() {
        precondition(handler == 0, "pthread_atfork failed: out of memory")
    }

    private static func advance() {
        counter.wrappingAdd(1, ordering: .relaxed)
    }
}
