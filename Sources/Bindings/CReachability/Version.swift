// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders
import ReachabilityKit
import ReachabilityLinuxSystem

/// Made once, and never released.
private nonisolated(unsafe) let text = unsafe strdup(packageVersion)

/// The version of the library.
@_cdecl("reachability_version")
public func reachability_version() -> UnsafePointer<CChar>? { unsafe UnsafePointer(text) }
