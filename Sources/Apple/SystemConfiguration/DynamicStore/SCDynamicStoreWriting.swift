// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SystemConfigurationCore

// Nothing can be written. These functions return false, and `SCError()` is `kSCStatusAccessError`, as for a process without
// privileges on Apple's systems.

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreAddValue(_ store: SCDynamicStore?, _ key: CFString, _ value: CFPropertyList) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreAddTemporaryValue(_ store: SCDynamicStore, _ key: CFString, _ value: CFPropertyList) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreSetValue(_ store: SCDynamicStore?, _ key: CFString, _ value: CFPropertyList) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreSetMultiple(
    _ store: SCDynamicStore?, _ keysToSet: CFDictionary?, _ keysToRemove: CFArray?, _ keysToNotify: CFArray?
) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreRemoveValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreNotifyValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool {
    StoreSession.refuse(.accessError)
}
