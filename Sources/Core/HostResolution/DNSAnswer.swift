// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The addresses that a DNS message gives for the name that was asked for (RFC 1035, section 4).
///
/// A server is believed only about that name. A record counts if its owner is the name, or if aliases in the same
/// message lead from the name to the owner. Everything else in the message is ignored.
package struct DNSAnswer: Hashable, Sendable {
    /// The response code (RFC 1035, section 4.1.1).
    package let code: UInt8
    /// In the order in which the server sent them. An address is valid no longer than each alias that led to it (RFC
    /// 1034, section 3.6.2).
    package let addresses: [TimedAddress]

    /// - Parameters:
    ///   - name: the name that was asked for, in full and without a trailing dot.
    ///   - family: the family that was asked for.
    package init(reading message: Span<UInt8>, name: String, family: AddressFamily) throws(DNSProblem) {
        var offset = 2  // After the identifier, which c-ares has compared.
        let flags: UInt16 = try message.integer(at: &offset)
        let questions: UInt16 = try message.integer(at: &offset)
        let records: UInt16 = try message.integer(at: &offset)
        offset += 4  // The records after the answers are not read.
        guard flags & 0x8000 != 0, questions == 1 else { throw .notAnAnswer }
        let asked = DNSName(name)
        let question = try message.name(at: &offset)
        let type: UInt16 = try message.integer(at: &offset)
        let recordClass: UInt16 = try message.integer(at: &offset)
        guard question == asked, type == family.recordType, recordClass == DNSRecord.internetClass else {
            throw .notAnAnswer
        }

        var aliases: [DNSName: (target: DNSName, timeToLive: UInt32)] = [:]
        var found: [(owner: DNSName, address: TimedAddress)] = []
        for _ in 0..<records {
            let record = try DNSRecord(reading: message, at: &offset)
            guard record.recordClass == DNSRecord.internetClass else { continue }
            switch record.type {
            case DNSRecord.aliasType:
                let target = try message.name(in: record.data)
                // A name has only one alias (RFC 1034, section 3.6.2). The first counts.
                if aliases[record.owner] == nil { aliases[record.owner] = (target, record.timeToLive) }
            case family.recordType:
                guard record.data.count == family.byteCount else { throw .damaged }
                let address = IPAddress(bytes: record.data.map { message[$0] })
                found.append((record.owner, TimedAddress(address, timeToLive: record.timeToLive)))
            default: break
            }
        }

        var owner = asked
        var limit = UInt32.max
        // Each alias is used once, so a circle ends.
        while let alias = aliases.removeValue(forKey: owner) {
            owner = alias.target
            limit = min(limit, alias.timeToLive)
        }
        code = UInt8(flags & 0xF)
        addresses = found.filter { $0.owner == owner }.map { _, found in
            TimedAddress(found.address, timeToLive: found.timeToLive.map { min($0, limit) })
        }
    }
}

/// Why a message was not believed.
package enum DNSProblem: Error, Hashable, Sendable {
    /// It is no answer, or one to another question.
    case notAnAnswer
    /// A length or a name in it is impossible.
    case damaged
}

extension AddressFamily {
    /// The type of its address records: A (RFC 1035, section 3.2.2) or AAAA (RFC 3596, section 2.1).
    var recordType: UInt16 { self == .v4 ? 1 : 28 }

    /// The size of an address.
    fileprivate var byteCount: Int { self == .v4 ? 4 : 16 }
}

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
