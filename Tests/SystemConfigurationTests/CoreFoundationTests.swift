// SPDX-License-Identifier: Apache-2.0

import LegacyIdioms5
import LegacyIdioms6
import SystemConfiguration
import Testing

/// What CoreFoundation's functions do with this module's objects: Foundation's strings, targets, sessions and interfaces.
@Suite("CoreFoundation")
struct CoreFoundationTests {
    @Test("takes Foundation's strings in every function for which this module has one")
    func strings() {
        #expect(LegacyIdioms5.CoreFoundationStrings.surprises() == [])
        #expect(LegacyIdioms6.CoreFoundationStrings.surprises() == [])
    }

    @Test("takes them beside an import of Foundation")
    func imports() {
        #expect(LegacyIdioms5.CoreFoundationImports.none() == nil)
        #expect(LegacyIdioms6.CoreFoundationImports.isOrdered("ä", "ö"))
    }

    @Test("reads and writes preferences")
    func preferences() {
        let expected = [
            "server": "db", "enabled": "true", "flag": "true", "port": "5432", "keys": "enabled port server", "all": "3",
            "after": "none",
        ]
        #expect(LegacyIdioms5.CoreFoundationPreferences.roundTrip("org.example.five") == expected)
        #expect(LegacyIdioms6.CoreFoundationPreferences.roundTrip("org.example.six") == expected)
        #expect(LegacyIdioms5.CoreFoundationPreferences.synchronize("org.example.unchanged"))
    }
}
