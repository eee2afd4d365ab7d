// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// When what was waited for has come: it holds, has held for some time without a break, and what was proved too long before that
/// time was over was proved once more. Pure: the time is given.
///
/// The kernel announces that a route is gone, and nothing announces that a server has ended. So only connections are proofs that
/// age, and one may have been made long before the last condition came to hold.
struct Arrival {
    private var steadiness: Steadiness
    /// When it had held for long enough; nil until then.
    private var end: BootTime?

    init(after stableTime: Duration) { steadiness = Steadiness(stableTime) }

    /// When it will have held for long enough; nil if it does not hold, or has held for long enough.
    var moment: BootTime? { end == nil ? steadiness.moment : nil }

    /// Returns when it had held for long enough; nil if it does not hold, or not for long enough yet.
    mutating func observe(_ holds: Bool, at now: BootTime) -> BootTime? {
        // Proofs take their time. What was proved once more is not too old when the last one is.
        end = steadiness.observe(holds, at: now) ? end ?? now : nil
        return end
    }
}
