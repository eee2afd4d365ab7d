// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Decides when changes lead to a look: the first one at once, those that follow it closely together.
///
/// A window opens at the end of each look. Changes that arrive inside it wait for its end. Further changes do not extend
/// it, so that even an endless storm is looked at once per window. The window lasts three times as long as the look did,
/// within the limits below, so that looking takes at most a quarter of one processor. `DelayedRecheck` looks in addition.
package struct Coalescer: Sendable {
    /// The shortest window. One administrative action sends a handful of messages within this time (measured:
    /// `ip link set … down` sends its 3 to 15 within 0.3 ms), and no person or connection attempt notices the delay.
    package static let window: Duration = .milliseconds(2)
    /// The longest window, and so the longest that a change waits.
    package static let longestWindow: Duration = .milliseconds(250)

    package enum Action: Hashable, Sendable {
        case lookNow
        case lookAt(BootTime)
        case nothing
    }

    private var closedUntil = BootTime(nanoseconds: 0)
    private var isArmed = false

    package init() {}

    /// Changes have arrived.
    package mutating func changesArrived(at now: BootTime) -> Action {
        if isArmed { return .nothing }
        guard now < closedUntil else { return .lookNow }
        isArmed = true
        return .lookAt(closedUntil)
    }

    /// The timer of a `lookAt` has fired.
    package mutating func timerFired() {
        isArmed = false
    }

    /// A look that began at `start` has ended.
    package mutating func lookEnded(from start: BootTime, to end: BootTime) {
        let window = min(max(Self.window, end.duration(since: start) * 3), Self.longestWindow)
        closedUntil = end.advanced(by: window)
    }
}
