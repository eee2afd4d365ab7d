// SPDX-License-Identifier: Apache-2.0

import DynamicStore
public import Foundation
import LegacyReachability

// Values that clients set are shared by all sessions of this process, and no other process sees them. The system's keys
// cannot be set: those that begin with `State:/Network`, `State:/Users`, `State:/IOKit`, `Setup:`, `File:`, `Plugin:` and
// `Prefs:`.

/// The value, or nil and a status if it is no property list.
private func read(_ value: CFPropertyList) -> PropertyValue? {
    let read = PropertyValue(value)
    if read == nil { LegacyStatus.last = .invalidArgument }
    return read
}

/// Sets the value of a new key.
///
/// - Returns: false on failure. `SCError()` is `kSCStatusKeyExists`, `kSCStatusAccessError` for a key of the system, or
///   `kSCStatusInvalidArgument` for a value that is no property list.
@discardableResult
public func SCDynamicStoreAddValue(_ store: SCDynamicStore?, _ key: CFString, _ value: CFPropertyList) -> Bool {
    read(value).map { session(store).add(String(describing: key), $0) } ?? false
}

/// Sets the value of a new key. It ends with the session.
///
/// - Returns: false on failure, as for ``SCDynamicStoreAddValue(_:_:_:)``.
@discardableResult
public func SCDynamicStoreAddTemporaryValue(_ store: SCDynamicStore, _ key: CFString, _ value: CFPropertyList) -> Bool {
    read(value).map { store.session.add(String(describing: key), $0, isTemporary: true) } ?? false
}

/// Sets the value of a key. Sessions that watch it are notified if it is another value than before.
///
/// - Returns: false on failure. `SCError()` is `kSCStatusAccessError` for a key of the system, or
///   `kSCStatusInvalidArgument` for a value that is no property list.
@discardableResult
public func SCDynamicStoreSetValue(_ store: SCDynamicStore?, _ key: CFString, _ value: CFPropertyList) -> Bool {
    read(value).map { session(store).set(String(describing: key), $0) } ?? false
}

/// Sets and removes several values and notifies of several keys at once.
///
/// - Returns: false on failure, and then nothing has changed.
@discardableResult
public func SCDynamicStoreSetMultiple(
    _ store: SCDynamicStore?, _ keysToSet: CFDictionary?, _ keysToRemove: CFArray?, _ keysToNotify: CFArray?
) -> Bool {
    guard let values = PropertyValue.members(of: keysToSet ?? [:]), let removed = (keysToRemove ?? []).strings,
        let notified = (keysToNotify ?? []).strings
    else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return session(store).set(values, removing: removed, notifying: notified)
}

/// Removes a value.
///
/// - Returns: false on failure. `SCError()` is `kSCStatusNoKey` or, for a key of the system, `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreRemoveValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool {
    session(store).remove(String(describing: key))
}

/// Notifies the sessions that watch a key, whether it has a value or not.
///
/// - Returns: false for a key of the system. Then `SCError()` is `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreNotifyValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool {
    session(store).notify(String(describing: key))
}
