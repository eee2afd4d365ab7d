// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
public import Foundation

// Names of Apple's framework that are not offered on Linux. They make the compiler say what to ask instead.

/// Preferences on Apple's systems.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public final class SCPreferences: NSObject {}

/// What happened to preferences.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public struct SCPreferencesNotification: OptionSet, Sendable {
    /// The notification as a number.
    public let rawValue: UInt32
    /// Makes a notification from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// They were saved.
    public static let commit = SCPreferencesNotification(rawValue: 1 << 0)
    /// They are in use.
    public static let apply = SCPreferencesNotification(rawValue: 1 << 1)
}

/// The callback for changes.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public typealias SCPreferencesCallBack = (SCPreferences, SCPreferencesNotification, UnsafeMutableRawPointer?) -> Void

/// A client's pointer, and the functions that retain and release it.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public typealias SCPreferencesContext = SCNetworkReachabilityContext

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetTypeID() -> CFTypeID { 0 }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCreate(_ allocator: CFAllocator?, _ name: CFString, _ prefsID: CFString?) -> SCPreferences? {
    nil
}

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCopyKeyList(_ prefs: SCPreferences) -> CFArray? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetValue(_ prefs: SCPreferences, _ key: CFString) -> CFPropertyList? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathGetValue(_ prefs: SCPreferences, _ path: CFString) -> CFDictionary? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetSignature(_ prefs: SCPreferences) -> CFData? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSynchronize(_ prefs: SCPreferences) {}

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetCallback(
    _ prefs: SCPreferences, _ callout: SCPreferencesCallBack?, _ context: UnsafeMutablePointer<SCPreferencesContext>?
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesScheduleWithRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesUnscheduleFromRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetDispatchQueue(_ prefs: SCPreferences, _ queue: DispatchQueue?) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesLock(_ prefs: SCPreferences, _ wait: Bool) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesUnlock(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCommitChanges(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesApplyChanges(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesAddValue(_ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetValue(_ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesRemoveValue(_ prefs: SCPreferences, _ key: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathSetValue(_ prefs: SCPreferences, _ path: CFString, _ value: CFDictionary) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathSetLink(_ prefs: SCPreferences, _ path: CFString, _ link: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathRemoveValue(_ prefs: SCPreferences, _ path: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathCreateUniqueChild(_ prefs: SCPreferences, _ prefix: CFString) -> CFString? { nil }
