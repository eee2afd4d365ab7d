// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How often tests repeat things: a moderate number of times, or the full number if REACHABILITY_FULL is set.
package enum Extent {
    package static let isFull = unsafe getenv("REACHABILITY_FULL") != nil

    /// How many changes of each kind to make: as many as REACHABILITY_CHANGES says, which the lab sets because emulation is
    /// slow.
    package static let changeCount: Int = {
        if let text = unsafe getenv("REACHABILITY_CHANGES"), let count = unsafe Int(String(cString: text)) {
            return count
        }
        return isFull ? 100_000 : 2_000
    }()
}
