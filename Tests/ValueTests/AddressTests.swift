// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestHosts
import Testing

@Suite("Addresses, prefixes and socket addresses")
struct AddressTests {
    private func v4(_ text: String) throws -> IPAddress { .v4(try #require(IPv4Address(strict: text))) }
    private func v6(_ text: String, _ scope: UInt32 = 0) throws -> IPAddress {
        .v6(try #require(IPv6Address(text)), scope: Scope(number: scope))
    }

    @Test func `IPv6 comes before IPv4, then the smaller value, then the smaller scope`() throws {
        let sorted = try [
            v6("::1"), v6("2001:db8::1"), v6("fe80::1"), v6("fe80::1", 2), v6("fe80::1", 10), v6("fe80::2"),
            v4("1.2.3.4"),
            v4("10.0.0.1"),
        ]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 { #expect(sorted.shuffled(using: &random).sorted() == sorted) }
    }

    /// As text, the last two are equal.
    @Test func `interfaces are in the order of the bytes of their names, and two if these differ`() throws {
        let sorted = try ["eth0", "eth00", "e\u{301}", "\u{e9}"].map { try #require(Scope($0)) }
        #expect(Array(sorted.reversed()).sorted() == sorted)
        #expect(Set(sorted).count == 4)
    }

    @Test func `a mapped IPv4 address is unmapped, and no other address is`() throws {
        #expect(try v6("::ffff:192.0.2.1").unmapped == v4("192.0.2.1"))
        #expect(try v6("::ffff:192.0.2.1", 3).unmapped == v4("192.0.2.1"))
        #expect(try v6("2001:db8::1", 3).unmapped == v6("2001:db8::1", 3))
        #expect(try v4("192.0.2.1").unmapped == v4("192.0.2.1"))
    }

    @Test func `a scope is printed behind % and can be left out`() throws {
        #expect(try v6("fe80::1", 7).description == "fe80::1%7")
        #expect(try v6("fe80::1", 70_000).scope == .index(#require(InterfaceIndex(70_000))))
        #expect(try v6("fe80::1", 7).unscoped == v6("fe80::1"))
        #expect(InterfaceIndex(0) == nil)
    }

    @Test func `an address's bytes are in network order`() throws {
        #expect(try v4("1.2.3.4").bytes == [1, 2, 3, 4])
        #expect(try v6("1:203::f").bytes == [0, 1, 2, 3] + [UInt8](repeating: 0, count: 11) + [15])
    }

    // MARK: Prefixes

    @Test(
        "a prefix contains the addresses that begin like it, and no others",
        arguments: [
            ("10.0.0.0", 8, "10.255.255.255", "11.0.0.0"), ("10.0.0.0", 8, "10.0.0.0", "9.255.255.255"),
            ("192.0.2.128", 25, "192.0.2.255", "192.0.2.127"), ("192.0.2.1", 32, "192.0.2.1", "192.0.2.0"),
            ("0.0.0.0", 1, "127.255.255.255", "128.0.0.0"), ("128.0.0.0", 1, "255.255.255.255", "127.255.255.255"),
            ("0.0.0.0", 0, "255.255.255.255", "::"),
            ("2001:db8::", 32, "2001:db8:ffff::1", "2001:db9::"),
            ("2001:db8::", 64, "2001:db8::ffff", "2001:db8:0:1::"),
            ("2001:db8::", 63, "2001:db8:0:1::", "2001:db8:0:2::"),
            ("2001:db8::", 65, "2001:db8::1", "2001:db8::8000:0:0:0"),
            ("2001:db8::1", 128, "2001:db8::1", "2001:db8::2"), ("2001:db8::2", 127, "2001:db8::3", "2001:db8::4"),
            ("::", 0, "ffff::", "0.0.0.0"),
        ] as [(String, UInt8, String, String)])
    func contains(_ base: String, _ length: UInt8, _ inside: String, _ outside: String) throws {
        func address(_ text: String) throws -> IPAddress { try text.contains(":") ? v6(text) : v4(text) }
        let prefix = Prefix(try address(base), length: length)
        #expect(prefix.contains(try address(inside)))
        #expect(!prefix.contains(try address(outside)))
        #expect(prefix.description == "\(base)/\(length)")
    }

    @Test func `bits past a prefix's length are cleared, its scope too, and too long a length is cut`() throws {
        #expect(try Prefix(v4("10.1.2.3"), length: 8) == Prefix(v4("10.0.0.0"), length: 8))
        #expect(try Prefix(v6("fe80::1", 3), length: 64).base == v6("fe80::"))
        #expect(try Prefix(v4("10.1.2.3"), length: 200).length == 32)
        #expect(try Prefix(v6("::1"), length: 200).length == 128)
        #expect(try Prefix.all(.v4).contains(v4("255.0.0.1")))
        #expect(try !Prefix.all(.v6).contains(v4("255.0.0.1")))
    }

    // MARK: Socket addresses

    private func read(_ bytes: [UInt8]) -> IPAddress? {
        IPAddress(socketAddress: RawSpan(_elements: bytes.span))
    }

    /// sockaddr_in (ip(7)): family, port, address.
    private var v4Bytes: [UInt8] {
        familyBytes(AF_INET) + [0x1F, 0x90, 192, 0, 2, 1] + [UInt8](repeating: 0, count: 8)
    }

    /// sockaddr_in6 (ipv6(7)): family, port, flow label, address, scope in the machine's order.
    private var v6Bytes: [UInt8] {
        familyBytes(AF_INET6) + [0x1F, 0x90, 1, 2, 3, 4, 0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
            + machineOrder(70_000)
    }

    private func familyBytes(_ family: Int32) -> [UInt8] {
        UInt16(1).littleEndian == 1 ? [UInt8(family), 0] : [0, UInt8(family)]
    }

    private func machineOrder(_ value: UInt32) -> [UInt8] {
        let bytes = stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
        return UInt16(1).littleEndian == 1 ? bytes : bytes.reversed()
    }

    @Test func `a socket address is read, port and flow label aside, and its scope with it`() throws {
        #expect(v4Bytes.count == 16 && v6Bytes.count == 28)
        #expect(read(v4Bytes) == (try v4("192.0.2.1")))
        #expect(read(v6Bytes) == (try v6("fe80::1", 70_000)))
        #expect(read(v6Bytes.dropLast(4) + [0, 0, 0, 0])?.scope == nil)
    }

    @Test func `bytes after the structure are ignored`() throws {
        #expect(read(v4Bytes + [UInt8](repeating: 0xFF, count: 112)) == (try v4("192.0.2.1")))
        #expect(read(v6Bytes + [UInt8](repeating: 0xFF, count: 100)) == (try v6("fe80::1", 70_000)))
    }

    @Test func `a socket address with too few bytes is refused, whichever number is missing`() {
        for count in 0..<16 { #expect(read(Array(v4Bytes.prefix(count))) == nil) }
        for count in 0..<28 { #expect(read(Array(v6Bytes.prefix(count))) == nil) }
    }

    @Test(arguments: [AF_UNSPEC, AF_UNIX, AF_NETLINK, AF_PACKET, 200])
    func `another family is refused`(_ family: Int32) {
        #expect(read(familyBytes(family) + [UInt8](repeating: 0, count: 126)) == nil)
    }
}
