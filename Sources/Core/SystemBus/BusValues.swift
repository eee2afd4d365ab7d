// SPDX-License-Identifier: Apache-2.0

/// The bytes are no valid D-Bus message, or one that is longer than any we accept.
package struct BusError: Error {}

/// Reads values in D-Bus's wire format (D-Bus Specification, "Marshaling"), little-endian, as the bus and NetworkManager run on
/// this machine. Each value is aligned to its size, counted from the beginning of the message. Every access is checked against
/// the bounds.
struct BusReader {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], from offset: Int = 0, to end: Int? = nil) {
        self.bytes = bytes
        self.offset = offset
        self.end = min(end ?? bytes.count, bytes.count)
    }

    var isAtEnd: Bool { offset >= end }

    mutating func align(to size: Int) throws(BusError) {
        while offset % size != 0 {
            guard try byte() == 0 else { throw BusError() }
        }
    }

    mutating func byte() throws(BusError) -> UInt8 {
        guard offset < end else { throw BusError() }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func uint32() throws(BusError) -> UInt32 {
        try align(to: 4)
        return try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A string or an object path: its length, UTF-8 without a zero byte, a zero byte.
    mutating func string() throws(BusError) -> String {
        let length = try uint32()
        return try text(Int(length))
    }

    /// The types of what follows. Its length is one byte.
    mutating func signature() throws(BusError) -> String {
        let length = try byte()
        return try text(Int(length))
    }

    private mutating func text(_ length: Int) throws(BusError) -> String {
        let content = try take(length)
        guard try byte() == 0, !content.contains(0), let text = String(validating: content, as: UTF8.self) else {
            throw BusError()
        }
        return text
    }

    private mutating func take(_ count: Int) throws(BusError) -> ArraySlice<UInt8> {
        guard count <= end - offset else { throw BusError() }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Skips a value of a basic type. Header fields have no other types.
    mutating func skip(_ signature: String) throws(BusError) {
        switch signature {
        case "y": _ = try byte()
        case "n", "q":
            try align(to: 2)
            _ = try take(2)
        case "b", "i", "u", "h": _ = try uint32()
        case "x", "t", "d":
            try align(to: 8)
            _ = try take(8)
        case "s", "o": _ = try string()
        case "g": _ = try self.signature()
        default: throw BusError()
        }
    }
}

/// Writes values in D-Bus's wire format.
package struct BusWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func align(to size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func uint32(_ value: UInt32) {
        align(to: 4)
        bytes += Self.parts(of: value)
    }

    package mutating func string(_ value: String) {
        uint32(UInt32(value.utf8.count))
        bytes += value.utf8
        byte(0)
    }

    package mutating func signature(_ value: String) {
        byte(UInt8(value.utf8.count))
        bytes += value.utf8
        byte(0)
    }

    /// An array with the given alignment of its elements. Its length includes neither itself nor the padding after it.
    package mutating func array(alignment: Int, _ elements: (inout BusWriter) -> Void) {
        uint32(0)
        let position = bytes.count - 4
        align(to: alignment)
        let start = bytes.count
        elements(&self)
        bytes.replaceSubrange(position..<position + 4, with: Self.parts(of: UInt32(bytes.count - start)))
    }

    private static func parts(of value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
