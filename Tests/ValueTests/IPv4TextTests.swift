// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@Suite("IPv4 addresses as text")
struct IPv4TextTests {
    @Test(
        "four decimal numbers are read strictly",
        arguments: [
            ("0.0.0.0", 0), ("127.0.0.1", 0x7F00_0001), ("192.0.2.1", 0xC000_0201), ("255.255.255.255", 0xFFFF_FFFF),
            ("1.2.3.4", 0x0102_0304), ("10.100.200.250", 0x0A64_C8FA),
        ] as [(String, UInt32)])
    func strict(_ text: String, _ value: UInt32) {
        #expect(IPv4Address(strict: text)?.rawValue == value)
    }

    @Test(
        "anything else is refused when read strictly",
        arguments: [
            "", " ", ".", "...", "1", "1.2", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5",
            "256.0.0.1",
            "1.2.3.256", "1.2.3.1000", "01.2.3.4", "1.2.3.00", "0x1.2.3.4", "+1.2.3.4", "1.-2.3.4", " 1.2.3.4",
            "1.2.3.4 ", "1.2.3.4\n", "1.2.3.4/24", "1,2,3,4", "a.b.c.d", "1.2.3.4\u{0}", "١.٢.٣.٤", "１.2.3.4", "::1",
            "1.2.3.99999999999999999999",
        ])
    func notStrict(_ text: String) {
        #expect(IPv4Address(strict: text) == nil)
    }

    @Test(
        "every form of inet_aton is read leniently",
        arguments: [
            // One to four numbers. The last fills the remaining bytes.
            ("1", 1), ("127.1", 0x7F00_0001), ("127.0.1", 0x7F00_0001), ("10.1.2", 0x0A01_0002),
            ("10.65536", 0x0A01_0000), ("10.16777215", 0x0AFF_FFFF), ("1.2.65535", 0x0102_FFFF),
            ("4294967295", 0xFFFF_FFFF), ("2130706433", 0x7F00_0001), ("0", 0), ("0.0", 0),
            // Hexadecimal and octal numbers, mixed.
            ("0x7f.1", 0x7F00_0001), ("0X7F000001", 0x7F00_0001), ("0xffffffff", 0xFFFF_FFFF),
            ("0xFf.0xAb.0x01.0x00", 0xFFAB_0100),
            ("0177.1", 0x7F00_0001), ("017700000001", 0x7F00_0001), ("010.010.010.010", 0x0808_0808),
            ("0300.0xa8.1", 0xC0A8_0001), ("00000000000000000000001.2.3.4", 0x0102_0304),
            ("1.2.3.000000377", 0x0102_03FF),
            ("192.0.2.1", 0xC000_0201),
        ] as [(String, UInt32)])
    func lenient(_ text: String, _ value: UInt32) {
        #expect(IPv4Address(lenient: text)?.rawValue == value)
    }

    @Test(
        "what inet_aton refuses is refused",
        arguments: [
            "", ".", "1.", ".1", "1..2", "1.2.3.4.", "1.2.3.4.5", "4294967296", "256.1", "1.256.1", "1.2.256.1",
            "1.16777216", "1.2.65536", "1.2.3.256", "0x", "0xg", "0x1g", "08", "09.1.1.1", "1.2.3.08", "0x100000000",
            "040000000000", "99999999999999999999999", "0xfffffffffffffffffff", "-1", "+1", "a", "1.b", "1 .2", "1. 2",
            " 1.2.3.4", "1.2.3.4x", "1.2.3.4%eth0", "1.2.3.4:80", "1.2.3.4/8", "http://1.2.3.4", "1e3", "1_000", "٣",
        ])
    func notLenient(_ text: String) {
        #expect(IPv4Address(lenient: text) == nil)
        #expect(IPv4Address(lenient: text, ignoringRest: true) == nil || text == "1 .2")
    }

    @Test(
        "white space and what follows is ignored only where that is asked for",
        arguments: ["1.2.3.4 ", "1.2.3.4\n", "1.2.3.4\tjunk", "1.2.3.4 5.6.7.8", "1.2.3.4\u{B}", "1.2.3.4\r\n"])
    func rest(_ text: String) {
        #expect(IPv4Address(lenient: text) == nil)
        #expect(IPv4Address(lenient: text, ignoringRest: true) == IPv4Address(1, 2, 3, 4))
    }

    @Test(
        "what follows must begin with white space to be ignored",
        arguments: ["1.2.3.4x", "1.2.3.4:80", "1.2.3.4\u{0}", "1.2.3.4\u{A0}", "1.2.3.4\u{1F}", "1.2.3.4."])
    func restWithoutSpace(_ text: String) {
        #expect(IPv4Address(lenient: text, ignoringRest: true) == nil)
    }

    @Test(
        "an address is printed as four decimal numbers",
        arguments: ["0.0.0.0", "127.0.0.1", "255.255.255.255", "192.0.2.1", "10.20.30.40"])
    func prints(_ text: String) {
        #expect(IPv4Address(strict: text)?.description == text)
    }

    @Test(
        "an address is in the classes its number says",
        arguments: [
            ("127.0.0.1", [.loopback]), ("127.255.255.255", [.loopback]), ("126.255.255.255", []), ("128.0.0.0", []),
            ("169.254.0.0", [.linkLocal]), ("169.254.255.255", [.linkLocal]), ("169.253.255.255", []),
            ("169.255.0.0", []),
            ("224.0.0.0", [.multicast]), ("239.255.255.255", [.multicast]), ("223.255.255.255", []), ("240.0.0.0", []),
            ("0.0.0.0", [.unspecified]), ("0.0.0.1", []),
        ] as [(String, Set<AddressClass>)])
    func classes(_ text: String, _ expected: Set<AddressClass>) throws {
        let address = try #require(IPv4Address(strict: text))
        var found: Set<AddressClass> = []
        if address.isLoopback { found.insert(.loopback) }
        if address.isLinkLocal { found.insert(.linkLocal) }
        if address.isMulticast { found.insert(.multicast) }
        if address.isUnspecified { found.insert(.unspecified) }
        #expect(found == expected)
    }
}

/// The properties of an address, for tables.
enum AddressClass: Sendable {
    case loopback, linkLocal, multicast, linkScopedMulticast, unspecified
}
