// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Limits how much is read from a bus.
///
/// NetworkManager's properties change a few times when a network does, with about a kilobyte each. A sender of a
/// thousand times as much is broken or hostile, and reading it would keep the engine from its work.
struct ReceiveLimit {
    static let byteLimit = 1 << 20
    /// Long, so that also a reader that gets little processor time notices.
    static let window: Duration = .seconds(60)

    private var windowStart: BootTime?
    private var byteCount = 0

    /// Counts received bytes. Returns false if they exceed the limit.
    mutating func add(_ count: Int, at now: BootTime) -> Bool {
        if let windowStart, now < windowStart.advanced(by: Self.window) {
            byteCount += count
        } else {
            (windowStart, byteCount) = (now, count)
        }
        return byteCount <= Self.byteLimit
    }
}
