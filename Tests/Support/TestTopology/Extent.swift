// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much is done of what can be done any number of times: enough for every run of the tests, or the full count where
/// REACHABILITY_FULL is set.
package enum Extent {
    package static let isFull = unsafe getenv("REACHABILITY_FULL") != nil
}
