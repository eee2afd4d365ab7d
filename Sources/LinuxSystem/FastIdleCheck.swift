// SPDX-License-Identifier: Apache-2.0

/// A check without a system call that a descriptor has nothing to read. This class never finds out; `RingIdleCheck` does.
///
/// A subclass may need a thread that lives for a while. Event loops offer theirs with `join`.
package class FastIdleCheck: @unchecked Sendable {
    package init() {}

    /// Whether the descriptor is proved to have nothing to read. False says nothing.
    package var isIdle: Bool { false }

    /// Counts a case in which the descriptor was idle and `isIdle` did not say so.
    func recordMiss() {}

    /// Offers the thread of a loop. The loop must `leave` before it ends.
    package func join(_ loop: EventLoop) {}

    /// Takes the thread back. Call on the loop's thread.
    package func leave(_ loop: EventLoop) {}

    /// How often the check was set up to prove idleness.
    package var armingCount: Int { 0 }
}
