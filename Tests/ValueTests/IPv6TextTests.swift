// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@Suite("IPv6 addresses as text")
struct IPv6TextTests {
    @Test(
        "every form of RFC 4291 is read",
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
    func reads(_ text: String, _ high: UInt64, _ low: UInt64) {
        #expect(IPv6Address(text) == IPv6Address(high: high, low: low))
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ":", ":::", "1", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:",
            ":1:2:3:4:5:6:7:8",
            "::1::", "1::2::3", ":::1", "1:::2", "::1:", ":1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
            "1:2:3:4::5:6:7:8", "12345::", "00001::", "g::", "::g", "-1::", "+1::", "::+1", "::-1", " ::1", "::1 ",
            "::1\n",
            "::1/128", "[::1]", "::1%", "::1%lo", "::0x1", "0x1::", "1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256",
            "::1.2.3.4:1", "1.2.3.4::", "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::1.2.3.4::",
            "::ffff:1.2.3.", "::\u{0}", "::１", "::é", "fe80:", "1:2:3:4:5:6:7:8 ",
        ])
    func refuses(_ text: String) {
        #expect(IPv6Address(text) == nil)
    }

    @Test(
        "the recommended form of RFC 5952 is printed",
        arguments: [
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
    func prints(_ text: String, _ expected: String) {
        #expect(IPv6Address(text)?.description == expected)
    }

    @Test(
        "an address is in the classes its prefix says",
        arguments: [
            ("::", [.unspecified]), ("::1", [.loopback]), ("::2", []), ("fe80::", [.linkLocal]),
            ("febf:ffff::1", [.linkLocal]),
            ("fec0::1", []), ("fe7f::1", []), ("ff00::", [.multicast]),
            ("ff01::1", [.multicast, .linkScopedMulticast]),
            ("ff02::1", [.multicast, .linkScopedMulticast]), ("ff12::1", [.multicast, .linkScopedMulticast]),
            ("ff05::1", [.multicast]), ("ff0e::1", [.multicast]), ("2001:db8::1", []),
        ] as [(String, Set<AddressClass>)])
    func classes(_ text: String, _ expected: Set<AddressClass>) throws {
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
