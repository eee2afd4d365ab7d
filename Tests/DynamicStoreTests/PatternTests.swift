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

    @Test(
        "that takes very much memory or time is refused",
        arguments: [
            "((a{99}){99}){99}", "(((a{9999}){9999}){9999}){9999}", "(a{0,300}){0,300}", "(([)]{999}x){999}){999}",
            "(a{300,}){300,}", "a{99999999999999999999}", "(a*)*\\1", String(repeating: "(", count: 65),
            String(repeating: "a", count: 4097), "(" + String(repeating: "(a+)+", count: 3) + "){30000}",
        ])
    func immodest(_ pattern: String) {
        #expect(!PatternSize.isModest(pattern))
        #expect(KeyPattern(pattern) == nil)
    }

    @Test("with many repetitions side by side is accepted")
    func modest() {
        #expect(KeyPattern(String(repeating: "a{1,50}", count: 20)) != nil)
        #expect(KeyPattern("State:/Network/(Global|Interface/[a-z]+[0-9]{1,3})/(IPv4|IPv6)") != nil)
    }
}
