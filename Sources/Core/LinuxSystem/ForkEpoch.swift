// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Counts the forks between the process that first used the package and this one.
///
/// The child of a fork shares its parent's sockets. A message that the child took would be missing in the parent, which
/// would then return stale answers. So every owner of a socket stores the epoch in which the socket was opened, and does not
/// use it in another epoch.
///
/// The counter is kept in C. A child that was forked beside other threads must not wait for the initialiser of a Swift
/// global, because the thread that runs the initialiser may not exist in the child.
package enum ForkEpoch {
    /// The epoch of this process.
    package static var current: UInt64 { clinux_fork_epoch() }

    /// Starts to count. Call before opening a socket.
    package static func observe() {
        precondition(clinux_observe_forks() == 0, "pthread_atfork failed: out of memory")
    }
}
