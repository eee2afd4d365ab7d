// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CSystemConfigurationHeaders
import SystemConfigurationCore

@_cdecl("SCError")
public func SCError() -> Int32 { LegacyStatus.last.rawValue }

@_cdecl("SCErrorString")
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar>? {
    unsafe LegacyStatus(rawValue: status).cString
}

@_cdecl("SCCopyLastError")
public func SCCopyLastError() -> OpaquePointer? {
    unsafe LoadedFoundation.shared?.error(LegacyStatus.last)
}
