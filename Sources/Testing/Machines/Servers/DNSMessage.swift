// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The part of RFC 1035's messages that a scripted server needs.
package enum DNSMessage {
    package struct Record: Sendable {
        let owner: String
        let type: UInt16
        let timeToLive: UInt32
        let data: [UInt8]

        package static func address(_ owner: String, _ address: IPAddress, ttl: UInt32 = 60) -> Record {
            Record(owner: owner, type: address.family == .v4 ? 1 : 28, timeToLive: ttl, data: address.bytes)
        }

        package static func alias(_ owner: String, _ target: String, ttl: UInt32 = 60) -> Record {
            Record(owner: owner, type: 5, timeToLive: ttl, data: encode(target))
        }
    }

    static func encode(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// The one question of a query.
    static func question(in query: [UInt8]) -> (name: String, type: UInt16)? {
        var labels: [String] = []
        var offset = 12
        while offset < query.count, query[offset] != 0 {
            let length = Int(query[offset])
            guard offset + 1 + length < query.count else { return nil }
            labels.append(String(decoding: query[(offset + 1)..<(offset + 1 + length)], as: UTF8.self))
            offset += 1 + length
        }
        guard offset + 5 <= query.count else { return nil }
        return (labels.joined(separator: "."), UInt16(query[offset + 1]) << 8 | UInt16(query[offset + 2]))
    }

    package static func reply(
        to query: [UInt8], records: [Record] = [], rcode: UInt8 = 0, isTruncated: Bool = false
    ) -> [UInt8] {
        guard let (name, type) = question(in: query) else { return [] }
        var bytes = Array(query[0..<2])
        // QR, RD, and TC if requested; then RA and the response code (RFC 1035 4.1.1).
        let flags: UInt16 = isTruncated ? 0x8380 : 0x8180
        bytes += big(flags | UInt16(rcode))
        for count in [1, UInt16(records.count), 0, 0] { bytes += big(count) }
        bytes += encode(name)
        bytes += big(type)
        bytes += big(Self.internet)
        for record in records {
            bytes += encode(record.owner)
            bytes += big(record.type)
            bytes += big(Self.internet)
            bytes += big(record.timeToLive)
            bytes += big(UInt16(record.data.count))
            bytes += record.data
        }
        return bytes
    }

    /// The class of every record (RFC 1035 3.2.4).
    private static let internet: UInt16 = 1

    /// The bytes of an integer in network order.
    private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
        let bits = UInt8.bitWidth
        return (0..<value.bitWidth / bits).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * bits)) }
    }
}
