// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Treats targets, sessions and interfaces as CoreFoundation's objects, as programs for a Mac do.
public enum CoreFoundationObjects {
    /// What was not as expected: nothing.
    public static func surprises() -> [String] {
        guard let target = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"),
            let other = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"),
            let store = SCDynamicStoreCreate(nil, "objects" as CFString, nil, nil)
        else { return ["creation"] }
        let untyped = target as CFTypeRef
        let checks = [
            ("type of a target", CFGetTypeID(target) == SCNetworkReachabilityGetTypeID()),
            ("type of a session", CFGetTypeID(store) == SCDynamicStoreGetTypeID()),
            ("types", CFGetTypeID(untyped) != CFGetTypeID(store) && CFGetTypeID(untyped) != CFStringGetTypeID()),
            ("name of the type", CFCopyTypeIDDescription(CFGetTypeID(untyped)) as String == "SCNetworkReachability"),
            ("equal", CFEqual(target, target) && !CFEqual(target, other) && !CFEqual(target, store)),
            ("equal to a string", !CFEqual(target, "x" as CFString) && !CFEqual("x" as CFString, target)),
            ("hash", CFHash(target) == CFHash(untyped) && CFHash(target) != CFHash(other)),
            ("description", (CFCopyDescription(target) as String).hasPrefix("<SCNetworkReachability 0x")),
            ("cast", (untyped as? SCNetworkReachability) === target && (untyped as! SCNetworkReachability) === target),
            ("kind of a number", [.float64Type, .doubleType].contains(CFNumberGetType(1.5 as CFNumber))),
            ("key", [target as AnyHashable: 1, other: 2][target] == 1),
            ("value", elements([target, other] as CFArray) == [target, other]),
            ("dictionary", dictionary(target, store)),
            ("unmanaged", unmanaged(other)),
            ("property list", isPropertyList(SCDynamicStoreCopyValue(store, "State:/Network/Interface" as CFString))),
            ("interfaces", interfaces()),
        ]
        return checks.filter { !$0.1 }.map(\.0)
    }

    private static func elements(_ array: CFArray) -> [SCNetworkReachability] {
        (0..<CFArrayGetCount(array)).map {
            unsafeBitCast(CFArrayGetValueAtIndex(array, $0), to: SCNetworkReachability.self)
        }
    }

    private static func dictionary(_ key: SCNetworkReachability, _ value: SCDynamicStore) -> Bool {
        var keys = kCFTypeDictionaryKeyCallBacks
        var values = kCFTypeDictionaryValueCallBacks
        let dictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values)
        let pointer = Unmanaged.passUnretained(key).toOpaque()
        CFDictionarySetValue(dictionary, pointer, Unmanaged.passUnretained(value).toOpaque())
        return CFDictionaryGetValue(dictionary, pointer) == UnsafeRawPointer(Unmanaged.passUnretained(value).toOpaque())
    }

    private static func unmanaged(_ target: SCNetworkReachability) -> Bool {
        let reference = Unmanaged.passRetained(target as CFTypeRef)
        let same = Unmanaged<SCNetworkReachability>.fromOpaque(reference.toOpaque()).takeUnretainedValue()
        reference.release()
        return same === target
    }

    private static func isPropertyList(_ value: CFPropertyList?) -> Bool {
        guard let value, CFGetTypeID(value) == CFDictionaryGetTypeID() else { return false }
        let names = (value as! CFDictionary)[kSCDynamicStorePropNetInterfaces] as CFTypeRef?
        guard let names, CFGetTypeID(names) == CFArrayGetTypeID() else { return false }
        return CFPropertyListIsValid(value, .binaryFormat_v1_0) && CFArrayGetCount((names as! CFArray)) > 0
    }

    private static func interfaces() -> Bool {
        let first = SCNetworkInterfaceCopyAll()
        let second = SCNetworkInterfaceCopyAll()
        return (0..<CFArrayGetCount(first)).allSatisfy { index in
            let one = unsafeBitCast(CFArrayGetValueAtIndex(first, index), to: SCNetworkInterface.self)
            let same = unsafeBitCast(CFArrayGetValueAtIndex(second, index), to: SCNetworkInterface.self)
            return CFGetTypeID(one) == SCNetworkInterfaceGetTypeID() && CFEqual(one, same)
                && CFHash(one) == CFHash(same)
                && SCNetworkInterfaceGetBSDName(one) != nil
        }
    }
}
