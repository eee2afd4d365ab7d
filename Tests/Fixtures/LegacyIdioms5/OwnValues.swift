// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// A program that signals itself through the store.
public enum OwnValues {
    /// The key that the program uses.
    public static var key: CFString { "com.example.fixture/status" as CFString }

    /// Sets a value and reads it back.
    public static func roundTrip() -> [String: Any]? {
        let store = SCDynamicStoreCreate(nil, "OwnValues" as CFString, nil, nil)
        let value: [String: Any] = [
            "Name": "vpn", "Count": 3, "Active": true, "Ratio": 0.5, "Data": Data([1, 2]), "List": ["a", "b"],
            "When": Date(timeIntervalSinceReferenceDate: 1000),
        ]
        guard SCDynamicStoreSetValue(store, key, value as CFDictionary) else { return nil }
        defer { SCDynamicStoreRemoveValue(store, key) }
        return SCDynamicStoreCopyMultiple(nil, [key] as CFArray, nil)?[key] as? [String: Any]
    }

    /// The statuses of calls that fail.
    public static func refusals() -> [Int32] {
        let store = SCDynamicStoreCreate(nil, "OwnValues" as CFString, nil, nil)
        var errors: [Int32] = []
        func note(_ succeeded: Bool) { errors.append(succeeded ? 0 : SCError()) }
        note(SCDynamicStoreSetValue(store, "State:/Network/Global/IPv4" as CFString, [:] as CFDictionary))
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
