// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Reads and writes preferences as programs for a Mac do, here with Foundation imported first.
public enum CoreFoundationPreferences {
    /// The preferences of an application that were set and read again. They are not stored.
    public static func roundTrip(_ application: String) -> [String: String] {
        let name = application as CFString
        CFPreferencesSetAppValue("server" as CFString, "db" as CFString, name)
        CFPreferencesSetAppValue("enabled" as CFString, true as CFPropertyList, name)
        CFPreferencesSetValue(
            "port" as CFString, 5432 as CFNumber, name, kCFPreferencesCurrentUser, kCFPreferencesAnyHost)
        var result: [String: String] = [:]
        result["server"] = CFPreferencesCopyAppValue("server" as CFString, name) as? String
        let enabled = CFPreferencesCopyAppValue("enabled" as CFString, name)
        if let enabled, CFGetTypeID(enabled) == CFBooleanGetTypeID() {
            result["enabled"] = "\(CFBooleanGetValue((enabled as! CFBoolean)))"
        }
        result["flag"] = "\(CFPreferencesGetAppBooleanValue("enabled" as CFString, name, nil))"
        result["forced"] = "\(CFPreferencesAppValueIsForced("enabled" as CFString, name))"
        result["port"] = "\(CFPreferencesGetAppIntegerValue("port" as CFString, name, nil))"
        let keys = CFPreferencesCopyKeyList(name, kCFPreferencesCurrentUser, kCFPreferencesAnyHost) as? [String]
        result["keys"] = keys?.sorted().joined(separator: " ")
        let all =
            CFPreferencesCopyMultiple(nil, name, kCFPreferencesCurrentUser, kCFPreferencesAnyHost) as? [String: Any]
        result["all"] = "\(all?.count ?? 0)"
        CFPreferencesSetAppValue("server" as CFString, nil, name)
        result["after"] = CFPreferencesCopyAppValue("server" as CFString, name) as? String ?? "none"
        return result
    }

    /// Stores what has changed. Not called by tests: it writes a file in the home directory.
    public static func synchronize(_ application: String) -> Bool {
        CFPreferencesAppSynchronize(application as CFString)
            && CFPreferencesSynchronize(application as CFString, kCFPreferencesCurrentUser, kCFPreferencesAnyHost)
    }
}
