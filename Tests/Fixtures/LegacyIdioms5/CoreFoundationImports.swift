// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Reads preferences as programs for a Mac do.
public enum CoreFoundationImports {
    /// A preference that no program has, for this program.
    public static func none() -> CFPropertyList? {
        CFPreferencesCopyAppValue("org.example.none" as CFString, kCFPreferencesCurrentApplication)
    }

    /// Stores what has changed. Not called by tests: it writes a file in the home directory.
    public static func synchronize(_ application: String) -> Bool {
        CFPreferencesAppSynchronize(application as CFString)
    }
}
