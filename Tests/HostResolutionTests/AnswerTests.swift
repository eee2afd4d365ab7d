// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Testing

/// The reader of DNS messages, which decides what a server is believed about.
@Suite("A DNS message")
struct AnswerTests {
    /// "www.example.com" at offset 12, where every question has its name.
    private static let name: [UInt8] = label("www") + example
    private static let example: [UInt8] = label("example") + label("com") + [0]
    private static let pointer: [UInt8] = [0xC0, 12]
    private static let address: [UInt8] = [192, 0, 2, 1]
    private static let first = 12 + 17 + 4  // Where the first record begins.

    private static func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func record(
        _ owner: [UInt8], type: UInt8 = 1, inClass: UInt8 = 1, ttl: [UInt8] = [0, 0, 0, 60], _ data: [UInt8]
    ) -> [UInt8] {
        owner + [0, type, 0, inClass] + ttl + [0, UInt8(data.count)] + data
    }

    private static func message(
        _ records: [[UInt8]], name: [UInt8] = name, type: UInt8 = 1, flags: [UInt8] = [0x81, 0x80], count: Int? = nil
    ) -> [UInt8] {
        [0x12, 0x34] + flags + [0, 1, 0, UInt8(count ?? records.count), 0, 0, 0, 0] + name + [0, type, 0, 1]
            + records.flatMap(\.self)
    }

    private func read(_ bytes: [UInt8], _ family: AddressFamily = .v4) throws(DNSProblem) -> [String] {
        try DNSAnswer(reading: bytes.span, name: "www.example.com", family: family).addresses.map {
            "\($0.address) \($0.timeToLive ?? 0)"
        }
    }

    @Test func `has its addresses in the server's order`() throws {
        #expect(
            try read(Self.message([Self.record(Self.pointer, [192, 0, 2, 9]), Self.record(Self.name, Self.address)]))
                == ["192.0.2.9 60", "192.0.2.1 60"])
        let six = [UInt8](repeating: 0, count: 15) + [1]
        #expect(try read(Self.message([Self.record(Self.pointer, type: 28, six)], type: 28), .v6) == ["::1 60"])
    }

    @Test func `is believed about no other owner, type or class`() throws {
        let records = [
            Self.record(Self.example, Self.address), Self.record(Self.pointer, type: 28, Self.address),
            Self.record(Self.pointer, type: 16, [3, 1, 2, 3]), Self.record(Self.pointer, inClass: 3, Self.address),
        ]
        #expect(try read(Self.message(records)) == [])
    }

    @Test func `says the same in letters of either case`() throws {
        let upper = Self.name.map { (97...122).contains($0) ? $0 & 0xDF : $0 }
        #expect(try read(Self.message([Self.record(upper, Self.address)])) == ["192.0.2.1 60"])
        #expect(try read(Self.message([Self.record(Self.pointer, Self.address)], name: upper)) == ["192.0.2.1 60"])
    }

    @Test func `leads along aliases in any order, and expires with the first`() throws {
        let middle = Self.label("a") + [0xC0, 16]
        let last = Self.label("last") + [0]
        let records = [
            Self.record(last, Self.address), Self.record(middle, type: 5, ttl: [0, 0, 0, 7], last),
            Self.record(Self.pointer, type: 5, ttl: [0, 0, 0, 30], middle),
            // A second alias of the same name.
            Self.record(Self.pointer, type: 5, Self.label("other") + [0]),
            Self.record(Self.label("other") + [0], [192, 0, 2, 66]),
        ]
        #expect(try read(Self.message(records)) == ["192.0.2.1 7"])
    }

    @Test func `ends aliases that lead back`() throws {
        let other = Self.label("other") + [0]
        let circle = [Self.record(Self.pointer, type: 5, other), Self.record(other, type: 5, Self.pointer)]
        #expect(try read(Self.message(circle)) == [])
        // The name's own address comes after a whole turn.
        #expect(try read(Self.message(circle + [Self.record(Self.pointer, Self.address)])) == ["192.0.2.1 60"])
        #expect(try read(Self.message([Self.record(Self.pointer, type: 5, Self.pointer)])) == [])
    }

    @Test func `counts a time with the highest bit as zero`() throws {
        let record = Self.record(Self.pointer, ttl: [0x80, 0, 0, 1], Self.address)
        #expect(try read(Self.message([record])) == ["192.0.2.1 0"])
        let longest = Self.record(Self.pointer, ttl: [0x7F, 0xFF, 0xFF, 0xFF], Self.address)
        #expect(try read(Self.message([longest])) == ["192.0.2.1 2147483647"])
    }

    @Test func `to another question is no answer`() {
        let records = [Self.record(Self.pointer, Self.address)]
        for bytes in [
            Self.message(records, flags: [0x01, 0]), Self.message(records, type: 28),
            Self.message(records, name: Self.label("wwv") + Self.example),
            Self.message(records, name: Self.label("www.example") + Self.label("com") + [0]),
        ] {
            #expect(throws: DNSProblem.notAnAnswer) { try read(bytes) }
        }
        var two = Self.message(records)
        two[5] = 2
        #expect(throws: DNSProblem.notAnAnswer) { try read(two) }
    }

    @Test func `with an impossible name or length is damaged`() {
        let long = (0..<4).flatMap { _ in Self.label(String(repeating: "x", count: 63)) }
        let owners: [[UInt8]] = [
            [0xC0, UInt8(Self.first)],  // itself
            [0xC0, UInt8(Self.first + 2)],  // behind it
            [0xFF, 0xFF], [0x40, 1, 0], [0x80, 0], long + [0],
            Self.label("a") + [0xC0, UInt8(Self.first)],  // the name that it ends
        ]
        for owner in owners {
            #expect(throws: DNSProblem.damaged, "\(owner.prefix(4))") {
                try read(Self.message([Self.record(owner, Self.address)]))
            }
        }
        for record in [
            Self.record(Self.pointer, Self.address.dropLast()), Self.record(Self.pointer, Self.address + [5]),
            Self.record(Self.pointer, type: 5, Self.pointer + [0]), Self.record(Self.pointer, type: 5, []),
        ] {
            #expect(throws: DNSProblem.damaged) { try read(Self.message([record])) }
        }
        #expect(throws: DNSProblem.damaged) {
            try read(Self.message([Self.record(Self.pointer, Self.address)], count: 2))
        }
    }

    @Test func `that was cut off anywhere is damaged`() {
        let bytes = Self.message([
            Self.record(Self.pointer, type: 5, Self.example), Self.record(Self.example, Self.address),
        ])
        for length in 0..<bytes.count {
            #expect(throws: DNSProblem.damaged, "\(length) bytes") { try read(Array(bytes.prefix(length))) }
        }
    }

    @Test(arguments: [UInt8(0), 2, 3, 5]) func `has the server's code`(code: UInt8) throws {
        let bytes = Self.message([], flags: [0x81, 0x80 | code])
        #expect(try DNSAnswer(reading: bytes.span, name: "www.example.com", family: .v4).code == code)
    }
}
