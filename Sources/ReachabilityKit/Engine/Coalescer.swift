// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Decides when dirt is looked at: the first at once, what follows it closely in one go.
///
/// A window opens when a look is over and is never extended, so that a storm without end is looked at once a window,
/// and an answer is never later than that. The window is at least `window` long, and longer where a look takes long,
/// so that looking takes at most a quarter of one processor.
package struct Coalescer: Sendable {
    /// Long enough for the handful of messages of one administrative action (measured: `ip link set … down` sends its
    /// 3 to 15 within 0.3 ms), and far below what a person or a connection attempt notices.
    package static let window: Duration = .milliseconds(2)
    /// However long a look takes, news does not wait longer than this for the next.
    package static let longestWindow: Duration = .milliseconds(250)

    package enum Action: Hashable, Sendable {
        case lookNow
        case lookAt(BootTime)
        case nothing
    }

    private var closedUntil = BootTime(nanoseconds: 0)
    private var isArmed = false

    package init() {}

    /// There is dirt.
    package mutating func changesArrived(at now: BootTime) -> Action {
        if isArmed { return .nothing }
        guard now < closedUntil else { return .lookNow }
        isArmed = true
        return .lookAt(closedUntil)
    }

    /// The moment asked for has come.
    package mutating func momentCame() {
        isArmed = false
    }

    /// A look that began at `start` is over.
    package mutating func looked(from start: BootTime, to end: BootTime) {
        let window = min(max(Self.window, end.duration(since: start) * 3), Self.longestWindow)
        closedUntil = end.advanced(by: window)
    }
}
