// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Gives the caller a copy of a text, which it releases with free(3).
func give(_ text: String, to caller: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws(ReachabilityError) {
    guard let copy = unsafe strdup(text) else {
        throw ReachabilityError(.kernelUnavailable, "explain", "", "there is no memory", errno: ENOMEM)
    }
    unsafe caller.pointee = copy
}
