// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders
import DynamicStore
import LegacyReachability

/// Reads a key and a value, and makes the call. Returns false and stores a status if they are none.
private func withPair(
    _ key: OpaquePointer?, _ value: OpaquePointer?, _ call: (String, PropertyValue) -> Bool
) -> Bool {
    guard let properties = LoadedProperties.shared else { return false }
    guard let key = unsafe properties.string(key), let value = unsafe properties.value(value) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return call(key, value)
}

private func withKey(_ key: OpaquePointer?, _ call: (String) -> Bool) -> Bool {
    guard let properties = LoadedProperties.shared else { return false }
    guard let key = unsafe properties.string(key) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return call(key)
}

/// Apple's function.
@_cdecl("SCDynamicStoreAddValue")
public func SCDynamicStoreAddValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    unsafe withPair(key, value) { unsafe session(store).add($0, $1) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreAddTemporaryValue")
public func SCDynamicStoreAddTemporaryValue(
    _ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool {
    guard let session = unsafe requiredSession(store) else { return false }
    return unsafe withPair(key, value) { session.add($0, $1, isTemporary: true) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreSetValue")
public func SCDynamicStoreSetValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    unsafe withPair(key, value) { unsafe session(store).set($0, $1) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreSetMultiple")
public func SCDynamicStoreSetMultiple(
    _ store: OpaquePointer?, _ keysToSet: OpaquePointer?, _ keysToRemove: OpaquePointer?,
    _ keysToNotify: OpaquePointer?
) -> Bool {
    guard let properties = LoadedProperties.shared else { return false }
    let values = unsafe keysToSet == nil ? [:] : unsafe properties.value(keysToSet)
    guard case .dictionary(let values)? = values, let removed = unsafe properties.strings(keysToRemove),
        let notified = unsafe properties.strings(keysToNotify)
    else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return unsafe session(store).set(values, removing: removed, notifying: notified)
}

/// Apple's function.
@_cdecl("SCDynamicStoreRemoveValue")
public func SCDynamicStoreRemoveValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    unsafe withKey(key) { unsafe session(store).remove($0) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreNotifyValue")
public func SCDynamicStoreNotifyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    unsafe withKey(key) { unsafe session(store).notify($0) }
}
