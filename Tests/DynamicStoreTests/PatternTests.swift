// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SystemConfigurationCore

@Suite("A pattern")
struct PatternTests {
    @Test(
        "has to match the whole key",
        arguments: [
            ("State:/Network/Interface/[^/]+/IPv4", "State:/Network/Interface/eth0/IPv4", true),
            ("State:/Network/Interface/[^/]+/IPv4", "State:/Network/Interface/eth0/IPv4/more", false),
            ("State:/Network/Interface/[^/]+/IPv4", "Some:State:/Network/Interface/eth0/IPv4", false),
            ("^State:/Network/Global/(IPv4|IPv6)$", "State:/Network/Global/IPv6", true),
            (".*/DNS", "State:/Network/Global/DNS", true),
            ("a\\$", "a$", true),
            ("a|b", "ax", true),
            ("", "", true),
            ("", "a", false),
            (
                "[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}", "01234567-89AB-CDEF-0123-456789ABCDEF",
                true
            ),
        ])
    func matching(_ pattern: String, _ key: String, _ matches: Bool) throws {
        #expect(try #require(KeyPattern(pattern)).matches(key) == matches)
    }

    @Test(
        "that is no regular expression is refused",
        arguments: ["(", "[a", "*(", "a{2,1}", "[[:nonsense:]]", "a\u{0}b"])
    func invalid(_ pattern: String) {
        #expect(KeyPattern(pattern) == nil)
    }

    @Test("that is too long is refused")
    func long() {
        #expect(KeyPattern(String(repeating: "a", count: 256)) != nil)
        #expect(KeyPattern(String(repeating: "a", count: 257)) == nil)
    }
}
