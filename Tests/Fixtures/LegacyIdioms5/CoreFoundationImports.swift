// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// The same functions in a file that imports Foundation last.
public enum CoreFoundationImports {
    /// A preference that no program has, for this program.
    public static func none() -> CFPropertyList? {
        CFPreferencesCopyAppValue("org.example.none" as CFString, kCFPreferencesCurrentApplication)
    }

    /// Whether two texts are in order.
    public static func isOrdered(_ first: String, _ second: String) -> Bool {
        CFStringCompare(first as CFString, second as CFString, []) == .compareLessThan
            && CFStringGetLength(first as CFString) == first.utf16.count
    }
}
