// SPDX-License-Identifier: Apache-2.0

/// A domain name as it is on the wire: each label after its length, without the empty label at the end. ASCII letters are
/// in lower case, because case does not matter in names (RFC 4343).
struct DNSName: Hashable {
    /// A name has at most 255 bytes with the empty label (RFC 1035, section 2.3.4).
    private static let limit = 254

    private(set) var bytes: [UInt8] = []

    init() {}

    /// A name in text, of which each dot separates two labels.
    init(_ text: String) {
        for label in text.utf8.split(separator: UInt8(ascii: ".")) {
            bytes.append(UInt8(truncatingIfNeeded: label.count))
            for byte in label { append(byte) }
        }
    }

    /// Whether a label of this length may follow.
    func hasRoom(for length: Int) -> Bool { bytes.count + 1 + length <= Self.limit }

    mutating func beginLabel(_ length: UInt8) { bytes.append(length) }

    mutating func append(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte)
    }
}

/// A resource record (RFC 1035, section 4.1.3).
struct DNSRecord {
    /// The internet (RFC 1035, section 3.2.4).
    static let internetClass: UInt16 = 1
    /// CNAME (RFC 1035, section 3.2.2).
    static let aliasType: UInt16 = 5

    let owner: DNSName
    let type: UInt16
    let recordClass: UInt16
    let timeToLive: UInt32
    /// Where its data are in the message.
    let data: Range<Int>

    /// Reads the record at `offset`, and moves the offset to its end.
    init(reading message: Span<UInt8>, at offset: inout Int) throws(DNSProblem) {
        owner = try message.name(at: &offset)
        type = try message.integer(at: &offset)
        recordClass = try message.integer(at: &offset)
        let seconds: UInt32 = try message.integer(at: &offset)
        // A time with the highest bit set counts as zero (RFC 2181, section 8).
        timeToLive = seconds > UInt32(Int32.max) ? 0 : seconds
        let length: UInt16 = try message.integer(at: &offset)
        guard Int(length) <= message.count - offset else { throw .damaged }
        data = offset..<offset + Int(length)
        offset = data.upperBound
    }
}

/// Reads parts of a DNS message. Each access is checked against the bytes that are there.
extension Span<UInt8> {
    /// Reads an integer in network order at `offset`, and moves the offset to its end.
    func integer<Value: FixedWidthInteger>(at offset: inout Int) throws(DNSProblem) -> Value {
        let size = MemoryLayout<Value>.size
        guard count - offset >= size else { throw .damaged }
        var value: Value = 0
        for index in offset..<offset + size { value = value << 8 | Value(truncatingIfNeeded: self[index]) }
        offset += size
        return value
    }

    /// Reads the name at `offset`, and moves the offset to its end.
    func name(at offset: inout Int) throws(DNSProblem) -> DNSName {
        var name = DNSName()
        var position = offset
        // A name may go on at an earlier place (RFC 1035, section 4.1.4). Each such place must come before the last one,
        // so that a circle is impossible.
        var limit = offset
        var end: Int?
        while true {
            let length = try byte(at: position)
            switch length >> 6 {
            case 0b00:
                if length == 0 {
                    offset = end ?? position + 1
                    return name
                }
                guard name.hasRoom(for: Int(length)) else { throw .damaged }
                name.beginLabel(length)
                for index in position + 1...position + Int(length) { name.append(try byte(at: index)) }
                position += 1 + Int(length)
            case 0b11:
                let target = Int(length & 0x3F) << 8 | Int(try byte(at: position + 1))
                guard target < limit else { throw .damaged }
                end = end ?? position + 2
                (position, limit) = (target, target)
            default: throw .damaged  // Kinds of labels that are not in use (RFC 6891, section 5).
            }
        }
    }

    /// Reads a name that fills a record.
    func name(in data: Range<Int>) throws(DNSProblem) -> DNSName {
        var offset = data.lowerBound
        let name = try name(at: &offset)
        guard offset == data.upperBound else { throw .damaged }
        return name
    }

    private func byte(at index: Int) throws(DNSProblem) -> UInt8 {
        guard index < count else { throw .damaged }
        return self[index]
    }
}
