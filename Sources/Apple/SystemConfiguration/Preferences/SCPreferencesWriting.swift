// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SystemConfigurationCore

// Preferences cannot be locked or written. These functions return false, and `SCError()` is `kSCStatusAccessError`, as for a
// process without privileges on Apple's systems.

private func refused() -> Bool { StoreSession.refuse(.accessError) }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesLock(_ prefs: SCPreferences, _ wait: Bool) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesUnlock(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesCommitChanges(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesApplyChanges(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesAddValue(
    _ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesSetValue(
    _ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesRemoveValue(_ prefs: SCPreferences, _ key: CFString) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathSetValue(
    _ prefs: SCPreferences, _ path: CFString, _ value: CFDictionary
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathSetLink(_ prefs: SCPreferences, _ path: CFString, _ link: CFString) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathRemoveValue(_ prefs: SCPreferences, _ path: CFString) -> Bool { refused() }

/// Would make a name for a value at a path. Nil, and `SCError()` is `kSCStatusAccessError`.
public func SCPreferencesPathCreateUniqueChild(_ prefs: SCPreferences, _ prefix: CFString) -> CFString? {
    refused() ? prefix : nil
}
