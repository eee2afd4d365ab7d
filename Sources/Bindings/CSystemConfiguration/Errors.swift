// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders
import SystemConfigurationCore

/// Apple's function.
@_cdecl("SCError")
public func SCError() -> Int32 { LegacyStatus.last.rawValue }

/// Apple's function.
@_cdecl("SCErrorString")
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar>? {
    unsafe LegacyStatus(rawValue: status).cString
}

/// Apple's function. Returns null in a program without CoreFoundation.
@_cdecl("SCCopyLastError")
public func SCCopyLastError() -> OpaquePointer? {
    unsafe LoadedFoundation.shared?.error(LegacyStatus.last)
}
