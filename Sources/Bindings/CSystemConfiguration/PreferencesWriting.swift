// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders
import SystemConfigurationCore

// Preferences cannot be locked or written, as by a process without privileges on Apple's systems.

private func refused() -> Bool { StoreSession.refuse(.accessError) }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesLock")
public func SCPreferencesLock(_ prefs: OpaquePointer?, _ wait: Bool) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesUnlock")
public func SCPreferencesUnlock(_ prefs: OpaquePointer?) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesCommitChanges")
public func SCPreferencesCommitChanges(_ prefs: OpaquePointer?) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesApplyChanges")
public func SCPreferencesApplyChanges(_ prefs: OpaquePointer?) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesAddValue")
public func SCPreferencesAddValue(
    _ prefs: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesSetValue")
public func SCPreferencesSetValue(
    _ prefs: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesRemoveValue")
public func SCPreferencesRemoveValue(_ prefs: OpaquePointer?, _ key: OpaquePointer?) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesPathSetValue")
public func SCPreferencesPathSetValue(
    _ prefs: OpaquePointer?, _ path: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesPathSetLink")
public func SCPreferencesPathSetLink(
    _ prefs: OpaquePointer?, _ path: OpaquePointer?, _ link: OpaquePointer?
) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesPathRemoveValue")
public func SCPreferencesPathRemoveValue(_ prefs: OpaquePointer?, _ path: OpaquePointer?) -> Bool { refused() }

/// Apple's function. It is refused.
@_cdecl("SCPreferencesPathCreateUniqueChild")
public func SCPreferencesPathCreateUniqueChild(_ prefs: OpaquePointer?, _ prefix: OpaquePointer?) -> OpaquePointer? {
    unsafe refused() ? prefix : nil
}
