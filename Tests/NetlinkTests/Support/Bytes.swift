// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
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
}

extension SeededGenerator {
    mutating func address(_ family: AddressFamily) -> IPAddress {
        switch family {
        case .v4: .v4(IPv4Address(rawValue: UInt32(truncatingIfNeeded: next())))
        case .v6: .v6(IPv6Address(high: next(), low: next()))
        }
    }
}
