// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Testing

@Suite("IPv4 addresses as text")
struct IPv4TextTests {
    @Test(
        arguments: [
            ("0.0.0.0", 0), ("127.0.0.1", 0x7F00_0001), ("192.0.2.1", 0xC000_0201), ("255.255.255.255", 0xFFFF_FFFF),
            ("1.2.3.4", 0x0102_0304), ("10.100.200.250", 0x0A64_C8FA),
        ] as [(String, UInt32)])
    func `four decimal numbers are read strictly, and an address is printed so`(_ text: String, _ value: UInt32) {
        #expect(IPv4Address(strict: text)?.rawValue == value)
        #expect(IPv4Address(rawValue: value).description == text)
    }

    @Test(arguments: [
        "", " ", ".", "...", "1", "1.2", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5",
        "256.0.0.1",
        "1.2.3.256", "1.2.3.1000", "01.2.3.4", "1.2.3.00", "0x1.2.3.4", "+1.2.3.4", "1.-2.3.4", " 1.2.3.4",
        "1.2.3.4 ", "1.2.3.4\n", "1.2.3.4/24", "1,2,3,4", "a.b.c.d", "1.2.3.4\u{0}", "١.٢.٣.٤", "１.2.3.4", "::1",
        "1.2.3.99999999999999999999",
    ])
    func `anything else is refused when read strictly`(_ text: String) {
        #expect(IPv4Address(strict: text) == nil)
    }

    @Test(
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
    func `every form of inet_aton is read leniently`(_ text: String, _ value: UInt32) {
        #expect(IPv4Address(lenient: text)?.rawValue == value)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "1.2.3.4.", "1.2.3.4.5", "4294967296", "256.1", "1.256.1", "1.2.256.1",
        "1.16777216", "1.2.65536", "1.2.3.256", "0x", "0xg", "0x1g", "08", "09.1.1.1", "1.2.3.08", "0x100000000",
        "040000000000", "99999999999999999999999", "0xfffffffffffffffffff", "-1", "+1", "a", "1.b", "1 .2", "1. 2",
        " 1.2.3.4", "1.2.3.4x", "1.2.3.4%eth0", "1.2.3.4:80", "1.2.3.4/8", "http://1.2.3.4", "1e3", "1_000", "٣",
    ])
    func `what inet_aton refuses is refused`(_ text: String) {
        #expect(IPv4Address(lenient: text) == nil)
        #expect(IPv4Address(lenient: text, ignoringRest: true) == nil || text == "1 .2")
    }

    @Test(arguments: ["1.2.3.4 ", "1.2.3.4\n", "1.2.3.4\tjunk", "1.2.3.4 5.6.7.8", "1.2.3.4\u{B}", "1.2.3.4\r\n"])
    func `white space and what follows is ignored only where that is asked for`(_ text: String) {
        #expect(IPv4Address(lenient: text) == nil)
        #expect(IPv4Address(lenient: text, ignoringRest: true) == IPv4Address(1, 2, 3, 4))
    }

    @Test(arguments: ["1.2.3.4x", "1.2.3.4:80", "1.2.3.4\u{0}", "1.2.3.4\u{A0}", "1.2.3.4\u{1F}", "1.2.3.4."])
    func `what follows must begin with white space to be ignored`(_ text: String) {
        #expect(IPv4Address(lenient: text, ignoringRest: true) == nil)
    }

    @Test(
        arguments: [
            ("127.0.0.1", [.loopback]), ("127.255.255.255", [.loopback]), ("126.255.255.255", []), ("128.0.0.0", []),
            ("169.254.0.0", [.linkLocal]), ("169.254.255.255", [.linkLocal]), ("169.253.255.255", []),
            ("169.255.0.0", []),
            ("224.0.0.0", [.multicast]), ("239.255.255.255", [.multicast]), ("223.255.255.255", []), ("240.0.0.0", []),
            ("0.0.0.0", [.unspecified]), ("0.0.0.1", []),
        ] as [(String, Set<AddressClass>)])
    func `an address is in the classes its number says`(_ text: String, _ expected: Set<AddressClass>) throws {
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

@Suite("IPv6 addresses as text")
struct IPv6TextTests {
    @Test(
        arguments: [
            ("::", 0, 0), ("::1", 0, 1), ("1::", 0x0001_0000_0000_0000, 0),
            ("2001:db8::1", 0x2001_0DB8_0000_0000, 1),
            ("2001:DB8:0:0:0:0:0:1", 0x2001_0DB8_0000_0000, 1),
            ("2001:0db8:0000:0000:0000:0000:0000:0001", 0x2001_0DB8_0000_0000, 1),
            ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1::8", 0x0001_0000_0000_0000, 8),
            // "::" may stand for a single group.
            ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
            ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1:2:3::5:6:7:8", 0x0001_0002_0003_0000, 0x0005_0006_0007_0008),
            // An IPv4 address may stand for the last two groups.
            ("::ffff:192.0.2.1", 0, 0x0000_FFFF_C000_0201), ("::192.0.2.1", 0, 0xC000_0201),
            ("64:ff9b::192.0.2.33", 0x0064_FF9B_0000_0000, 0xC000_0221),
            ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
            ("fe80::ABCD", 0xFE80_0000_0000_0000, 0xABCD),
        ] as [(String, UInt64, UInt64)])
    func `every form of RFC 4291 is read`(_ text: String, _ high: UInt64, _ low: UInt64) {
        #expect(IPv6Address(text) == IPv6Address(high: high, low: low))
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:",
        ":1:2:3:4:5:6:7:8",
        "::1::", "1::2::3", ":::1", "1:::2", "::1:", ":1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
        "1:2:3:4::5:6:7:8", "12345::", "00001::", "g::", "::g", "-1::", "+1::", "::+1", "::-1", " ::1", "::1 ",
        "::1\n",
        "::1/128", "[::1]", "::1%", "::1%lo", "::0x1", "0x1::", "1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256",
        "::1.2.3.4:1", "1.2.3.4::", "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::1.2.3.4::",
        "::ffff:1.2.3.", "::\u{0}", "::１", "::é", "fe80:", "1:2:3:4:5:6:7:8 ",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(IPv6Address(text) == nil)
    }

    @Test(arguments: [
        ("2001:0DB8::0001", "2001:db8::1"),  // 4.1, 4.3: no leading zeroes, lower case
        ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),  // 4.2.1: as short as can be
        ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),  // 4.2.2: not for a single group
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),  // 4.2.3: the longest run
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),  // 4.2.3: of equal runs the first
        ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:0:0:0:0:0", "1::"),
        ("0:0:1:1:1:1:0:0", "::1:1:1:1:0:0"), ("1:1:0:0:1:1:0:0", "1:1::1:1:0:0"),
        ("1:1:1:1:1:1:0:0", "1:1:1:1:1:1::"),
        ("0:1:1:1:1:1:1:1", "0:1:1:1:1:1:1:1"), ("1:1:1:1:1:1:1:0", "1:1:1:1:1:1:1:0"),
        ("0:1:0:1:0:1:0:1", "0:1:0:1:0:1:0:1"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("::ffff:0:0", "::ffff:0.0.0.0"),  // 5: where a prefix says so
        ("64:ff9b::1.2.3.4", "64:ff9b::102:304"), ("::1.2.3.4", "::102:304"),
        ("FE80::A:B:C:D", "fe80::a:b:c:d"), ("ff02::1", "ff02::1"),
    ])
    func `the recommended form of RFC 5952 is printed`(_ text: String, _ expected: String) {
        #expect(IPv6Address(text)?.description == expected)
    }

    @Test(
        arguments: [
            ("::", [.unspecified]), ("::1", [.loopback]), ("::2", []), ("fe80::", [.linkLocal]),
            ("febf:ffff::1", [.linkLocal]),
            ("fec0::1", []), ("fe7f::1", []), ("ff00::", [.multicast]),
            ("ff01::1", [.multicast, .linkScopedMulticast]),
            ("ff02::1", [.multicast, .linkScopedMulticast]), ("ff12::1", [.multicast, .linkScopedMulticast]),
            ("ff05::1", [.multicast]), ("ff0e::1", [.multicast]), ("2001:db8::1", []),
        ] as [(String, Set<AddressClass>)])
    func `an address is in the classes its prefix says`(_ text: String, _ expected: Set<AddressClass>) throws {
        let address = try #require(IPv6Address(text))
        var found: Set<AddressClass> = []
        if address.isLoopback { found.insert(.loopback) }
        if address.isLinkLocal { found.insert(.linkLocal) }
        if address.isMulticast { found.insert(.multicast) }
        if address.isLinkScopedMulticast { found.insert(.linkScopedMulticast) }
        if address.isUnspecified { found.insert(.unspecified) }
        #expect(found == expected)
    }

    @Test("only ::ffff:0:0/96 holds an IPv4 address")
    func mapped() {
        #expect(IPv6Address("::ffff:1.2.3.4")?.mappedIPv4 == IPv4Address(1, 2, 3, 4))
        for text in ["::1.2.3.4", "::fffe:1.2.3.4", "1::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "::1:ffff:1.2.3.4"] {
            #expect(IPv6Address(text)?.mappedIPv4 == nil, "\(text)")
        }
    }
}
