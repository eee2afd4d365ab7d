// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestHosts

/// The bytes of a string of hexadecimal digits.
func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// What the messages of a datagram announce; nil for one that affects nothing.
func announcements(in datagram: [UInt8]) throws -> [Announcement?] {
    var found: [Announcement?] = []
    try datagram.withRawSpan { bytes throws(WireError) in
        try WireReader.forEachMessage(in: bytes) { (header, payload) throws(WireError) in
            found.append(try Announcement.read(header: header, payload: payload))
        }
    }
    return found
}

extension [UInt8] {
    /// Passes these bytes as a span.
    func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_elements: span))
    }

    mutating func append(little value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func replace(at offset: Int, with value: some FixedWidthInteger) {
        for byte in 0..<value.bitWidth / 8 { self[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    /// A little-endian netlink message.
    static func message(
        type: Int, flags: UInt16 = 0, sequence: UInt32 = 0, port: UInt32 = 0, _ payload: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt32(16 + payload.count))
        bytes.append(little: UInt16(type))
        bytes.append(little: flags)
        bytes.append(little: sequence)
        bytes.append(little: port)
        return bytes + payload
    }

    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt16(4 + value.count))
        bytes.append(little: type)
        return bytes + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    /// The announcement of a route in the kernel's layout.
    static func route(_ prefix: Prefix, deleted: Bool = false, flags: UInt32 = 0) -> [UInt8] {
        let family: UInt8 = prefix.base.family == .v4 ? 2 : 10
        var payload: [UInt8] = [family, prefix.length, 0, 0, 254, 3, 0, 1]
        payload.append(little: flags)
        payload += attribute(15, [254, 0, 0, 0])
        if prefix.length > 0 { payload += attribute(1, prefix.base.bytes) }
        payload += attribute(4, [3, 0, 0, 0])
        return message(type: deleted ? 25 : 24, payload)
    }
}

extension SeededGenerator {
    mutating func address(_ family: AddressFamily) -> IPAddress {
        switch family {
        case .v4: .v4(IPv4Address(rawValue: UInt32(truncatingIfNeeded: next())))
        case .v6: .v6(IPv6Address(high: next(), low: next()))
        }
    }
}
