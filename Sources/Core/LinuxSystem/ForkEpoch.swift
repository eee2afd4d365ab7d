// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The process in which something was made, by the number of forks before it.
///
/// The child of a fork has its parent's memory and descriptors, but none of its threads. So what belongs to the parent is left
/// alone there, for four reasons:
///
/// - A message that the child took from a shared socket would be missing in the parent.
/// - A lock that another thread of the parent held at the fork is never released in the child.
/// - A number of a descriptor may be another one's by now, if the child has closed all that it inherited (closefrom(3)).
/// - No thread of the parent does what is enqueued for it.
///
/// The child makes its own objects instead: `NamespaceRegistry.current` is another one there, and everything that asks or
/// watches is reached through it. A `ReachabilityRef` of the parent leads to the child's objects (`ReachabilityRef.here`).
/// What is freed in the child closes nothing, wakes nobody and waits for nobody: `OwnedDescriptor`, `EventLoop` and
/// `CancellationToken` see to that, and owners of more leave it in memory (`abandon`).
package struct ForkEpoch: Equatable, Sendable {
    private let number: UInt32

    /// This process.
    package init() { number = clinux_fork_epoch() }

    package var isCurrent: Bool { clinux_fork_epoch() == number }

    /// Whether this process is the child of one that had loaded the package before, and has not called exec.
    package static var isChild: Bool { clinux_fork_epoch() != 0 }

    /// Keeps an object of the parent in the child's memory for good, so that nothing of it is ever freed there.
    package static func abandon(_ object: AnyObject?) {
        if let object { _ = unsafe Unmanaged.passRetained(object) }
    }
}
