// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation

// CoreFoundation's preferences (CFPreferences.h), for keys and names that are `as CFString`, beside its own constants.

/// CoreFoundation's function.
public func CFPreferencesCopyAppValue(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString
) -> CFPropertyList? {
    CoreFoundation.CFPreferencesCopyAppValue(key.core, applicationID.core)
}

/// CoreFoundation's function.
public func CFPreferencesGetAppBooleanValue(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString,
    _ keyExistsAndHasValidFormat: UnsafeMutablePointer<Bool>?
) -> Bool {
    unsafe CoreFoundation.CFPreferencesGetAppBooleanValue(key.core, applicationID.core, keyExistsAndHasValidFormat)
}

/// CoreFoundation's function.
public func CFPreferencesGetAppIntegerValue(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString,
    _ keyExistsAndHasValidFormat: UnsafeMutablePointer<Bool>?
) -> CFIndex {
    unsafe CoreFoundation.CFPreferencesGetAppIntegerValue(key.core, applicationID.core, keyExistsAndHasValidFormat)
}

/// Whether an administrator has set a value that the user cannot change. Linux has no such preferences: false.
public func CFPreferencesAppValueIsForced(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString
) -> Bool {
    false
}

/// CoreFoundation's function.
public func CFPreferencesSetAppValue(
    _ key: some CoreFoundationString, _ value: CFPropertyList?, _ applicationID: some CoreFoundationString
) {
    CoreFoundation.CFPreferencesSetAppValue(key.core, value, applicationID.core)
}

/// CoreFoundation's function.
public func CFPreferencesAddSuitePreferencesToApp(
    _ applicationID: some CoreFoundationString, _ suiteID: some CoreFoundationString
) {
    CoreFoundation.CFPreferencesAddSuitePreferencesToApp(applicationID.core, suiteID.core)
}

/// CoreFoundation's function.
public func CFPreferencesRemoveSuitePreferencesFromApp(
    _ applicationID: some CoreFoundationString, _ suiteID: some CoreFoundationString
) {
    CoreFoundation.CFPreferencesRemoveSuitePreferencesFromApp(applicationID.core, suiteID.core)
}

/// CoreFoundation's function.
@discardableResult
public func CFPreferencesAppSynchronize(_ applicationID: some CoreFoundationString) -> Bool {
    CoreFoundation.CFPreferencesAppSynchronize(applicationID.core)
}

/// CoreFoundation's function.
public func CFPreferencesCopyValue(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString,
    _ userName: some CoreFoundationString, _ hostName: some CoreFoundationString
) -> CFPropertyList? {
    CoreFoundation.CFPreferencesCopyValue(key.core, applicationID.core, userName.core, hostName.core)
}

/// CoreFoundation's function.
public func CFPreferencesCopyMultiple(
    _ keysToFetch: CFArray?, _ applicationID: some CoreFoundationString, _ userName: some CoreFoundationString,
    _ hostName: some CoreFoundationString
) -> CFDictionary {
    let keys = unsafe unsafeBitCast(keysToFetch, to: CoreFoundation.CFArray?.self)
    let values = CoreFoundation.CFPreferencesCopyMultiple(keys, applicationID.core, userName.core, hostName.core)
    return unsafe unsafeBitCast(values, to: CFDictionary.self)
}

/// CoreFoundation's function.
public func CFPreferencesSetValue(
    _ key: some CoreFoundationString, _ value: CFPropertyList?, _ applicationID: some CoreFoundationString,
    _ userName: some CoreFoundationString, _ hostName: some CoreFoundationString
) {
    CoreFoundation.CFPreferencesSetValue(key.core, value, applicationID.core, userName.core, hostName.core)
}

/// CoreFoundation's function.
public func CFPreferencesSetMultiple(
    _ keysToSet: CFDictionary?, _ keysToRemove: CFArray?, _ applicationID: some CoreFoundationString,
    _ userName: some CoreFoundationString, _ hostName: some CoreFoundationString
) {
    unsafe CoreFoundation.CFPreferencesSetMultiple(
        unsafeBitCast(keysToSet, to: CoreFoundation.CFDictionary?.self),
        unsafeBitCast(keysToRemove, to: CoreFoundation.CFArray?.self), applicationID.core, userName.core, hostName.core)
}

/// CoreFoundation's function.
@discardableResult
public func CFPreferencesSynchronize(
    _ applicationID: some CoreFoundationString, _ userName: some CoreFoundationString,
    _ hostName: some CoreFoundationString
) -> Bool {
    CoreFoundation.CFPreferencesSynchronize(applicationID.core, userName.core, hostName.core)
}

/// CoreFoundation's function.
public func CFPreferencesCopyKeyList(
    _ applicationID: some CoreFoundationString, _ userName: some CoreFoundationString,
    _ hostName: some CoreFoundationString
) -> CFArray? {
    CoreFoundation.CFPreferencesCopyKeyList(applicationID.core, userName.core, hostName.core).map {
        unsafe unsafeBitCast($0, to: CFArray.self)
    }
}
