// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Calls that the store refuses.
public enum StoreRefusals {
    /// The statuses of calls that fail.
    public static func statuses() -> [Int32] {
        let store = SCDynamicStoreCreate(nil, "StoreRefusals" as CFString, nil, nil)
        var errors: [Int32] = []
        func note(_ succeeded: Bool) { errors.append(succeeded ? 0 : SCError()) }
        note(SCDynamicStoreSetValue(store, "com.example.fixture/status" as CFString, ["Count": 3] as CFDictionary))
        note(SCDynamicStoreRemoveValue(store, "com.example.missing" as CFString))
        note(SCDynamicStoreCopyValue(store, "com.example.missing" as CFString) != nil)
        note(SCDynamicStoreCopyKeyList(store, "(" as CFString) != nil)
        note(SCDynamicStoreSetNotificationKeys(store!, nil, ["("] as CFArray))
        note(SCDynamicStoreSetNotificationKeys(store!, [1] as CFArray, nil))
        note(SCDynamicStoreSetDispatchQueue(store!, nil))
        note(SCDynamicStoreCopyLocation(store) != nil)
        return errors
    }
}
