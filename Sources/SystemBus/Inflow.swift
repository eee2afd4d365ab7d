// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Notices that more comes from a bus than any has to say to us.
///
/// NetworkManager's properties change a few times when a network does, a kilobyte or so each. A thousand times as much
/// is a mistake of somebody's or worse, and reading it would keep the engine from its work.
struct Inflow {
    static let limit = 1 << 20
    /// Long, so that a reader that is slow for want of a processor notices too.
    static let window: Duration = .seconds(60)

    private var start: BootTime?
    private var bytes = 0

    /// Counts what came; false where it is too much.
    mutating func take(_ count: Int, at now: BootTime) -> Bool {
        if let start, now < start.advanced(by: Self.window) {
            bytes += count
        } else {
            (start, bytes) = (now, count)
        }
        return bytes <= Self.limit
    }
}
