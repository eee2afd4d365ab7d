// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders

private let version: StaticString = "0.1.0"

/// The version of the library.
@_cdecl("reachability_version")
public func reachability_version() -> UnsafePointer<CChar>? {
    unsafe UnsafeRawPointer(version.utf8Start).assumingMemoryBound(to: CChar.self)
}
