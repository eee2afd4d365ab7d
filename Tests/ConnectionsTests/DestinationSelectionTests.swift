// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Testing

@testable import ReachabilityConnections

@Suite("The order of destinations")
struct DestinationSelectionTests {
    /// Destinations in the right order, each with its source; "-" for none. Most are the examples of RFC 6724 10.2 for the
    /// rules that are applied.
    static let rows: [String: [(destination: String, source: String)]] = [
        "rule 1: a route before none": [("192.0.2.1", "10.0.0.1"), ("2001:db8::1", "-")],
        "rule 2: a scope that matches, in IPv6": [
            ("2001:db8:1::1", "2001:db8:1::2"), ("198.51.100.121", "169.254.13.78"),
        ],
        "rule 2: a scope that matches, in IPv4": [("198.51.100.121", "198.51.100.117"), ("2001:db8:1::1", "fe80::1")],
        "rule 5: a label that matches, of 6to4": [
            ("2002:c633:6401::1", "2002:c633:6401::2"), ("2001:db8:1::1", "2002:c633:6401::2"),
        ],
        "rule 5: a label that matches, with only a unique local address": [
            ("192.0.2.1", "10.0.0.1"), ("2001:db8::1", "fd00::1"),
        ],
        "rule 6: IPv6 before IPv4": [("2001:db8:1::1", "2001:db8:1::2"), ("10.1.2.3", "10.1.2.4")],
        "rule 6: IPv4 before unique local addresses": [("192.0.2.1", "10.0.0.1"), ("fd00::9", "fd00::1")],
        "rule 6: native before 6to4": [("2001:db8:1::1", "2001:db8:1::2"), ("2002:c633:6401::1", "2002:c633:6401::2")],
        "rule 6: the machine itself before all": [("::1", "::1"), ("127.0.0.1", "127.0.0.1")],
        "rule 8: the smaller scope": [("fe80::1", "fe80::2"), ("2001:db8:1::1", "2001:db8:1::2")],
        "rule 9: the longer common prefix": [
            ("2001:db8:1::1", "2001:db8:1::2"), ("2001:db8:3ffe::1", "2001:db8:3f44::2"),
        ],
    ]

    @Test("is that of RFC 6724, whatever order the addresses have", arguments: rows.keys.sorted())
    func order(name: String) throws {
        let row = try #require(Self.rows[name])
        let right = try row.map { try #require(Self.address($0.destination)) }
        let table = Dictionary(uniqueKeysWithValues: zip(right, row.map { Self.address($0.source) }))
        for given in [right, right.reversed()] {
            #expect(DestinationSelection.sorted(given) { table[$0] ?? nil } == right)
        }
    }

    @Test("keeps the order of equally good addresses")
    func ties() throws {
        let source = Self.address("10.0.0.1")
        for texts in [["192.0.2.2", "192.0.2.1", "10.0.0.2"], ["10.0.0.2", "192.0.2.2", "192.0.2.1"]] {
            let given = try texts.map { try #require(Self.address($0)) }
            #expect(DestinationSelection.sorted(given) { _ in source } == given)
        }
        // A common prefix beyond the network half is chance.
        let six = try ["2001:db8::8:0:0:1", "2001:db8::1"].map { try #require(Self.address($0)) }
        #expect(DestinationSelection.sorted(six) { _ in Self.address("2001:db8::2") } == six)
    }

    @Test("looks up no source for a single address")
    func single() throws {
        let only = [try #require(Self.address("192.0.2.1"))]
        let sorted = DestinationSelection.sorted(only) { _ in
            Issue.record("a source was looked up")
            return nil
        }
        #expect(sorted == only)
    }

    private static func address(_ text: String) -> IPAddress? {
        IPv4Address(strict: text).map { .v4($0) } ?? IPv6Address(text).map { .v6($0) }
    }
}
