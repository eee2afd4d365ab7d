// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Counts how often this process is the child of a fork since the package was first used.
///
/// A child shares its parent's sockets: one message it takes from a queue is one the parent never sees, and the parent
/// would then serve stale answers. So whatever holds a socket remembers the epoch it was opened in, and leaves the
/// socket alone in any other.
///
/// It is kept in C: the counting happens in a child that was forked while other threads were at work, where waiting for
/// the initialiser of a global of Swift's could be waiting for a thread that does not exist.
package enum ForkEpoch {
    /// The epoch of this process.
    package static var current: UInt64 { clinux_fork_epoch() }

    /// Has forks counted from now on. Whoever opens a socket calls this first.
    package static func observe() {
        precondition(clinux_observe_forks() == 0, "pthread_atfork failed: out of memory")
    }
}
