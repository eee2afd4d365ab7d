// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How often tests repeat things: a moderate number of times, or the full number if REACHABILITY_FULL is set.
package enum Extent {
    package static let isFull = unsafe getenv("REACHABILITY_FULL") != nil
}
