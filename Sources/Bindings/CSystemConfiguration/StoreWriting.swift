// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders
import SystemConfigurationCore

// Nothing can be written, as by a process without privileges on Apple's systems.

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreAddValue")
public func SCDynamicStoreAddValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreAddTemporaryValue")
public func SCDynamicStoreAddTemporaryValue(
    _ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreSetValue")
public func SCDynamicStoreSetValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreSetMultiple")
public func SCDynamicStoreSetMultiple(
    _ store: OpaquePointer?, _ keysToSet: OpaquePointer?, _ keysToRemove: OpaquePointer?,
    _ keysToNotify: OpaquePointer?
) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreRemoveValue")
public func SCDynamicStoreRemoveValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreNotifyValue")
public func SCDynamicStoreNotifyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}
