// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import ReachabilitySystemBus

/// For any bytes, reading stays inside of them (the reader and Address Sanitizer check that), reading ends, and every
/// message lies in the datagram.
func readMessages(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { buffer in
        let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(buffer))
        var total = 0
        try? WireReader.forEachMessage(in: span) { (header, payload) throws(WireError) in
            total += 16 + payload.byteCount
            require(total <= bytes.count, "the messages are larger than their datagram")
            _ = try? Announcement.read(header: header, payload: payload)
            _ = try? RouteCodec.read(payload, family: .v4)
            _ = try? RouteCodec.read(payload, family: .v6)
            _ = try? RuleCodec.read(payload)
            _ = try? LinkCodec.read(payload)
        }
    }
}

/// For any bytes from a bus, in any pieces: no action follows `hangUp`, the pieces do not matter, and a message that
/// can be read is the same after it was written and read again.
func readBus(_ bytes: [UInt8]) {
    if let message = try? BusMessage(bytes) {
        require((try? BusMessage(message.encoded)) == message, "a message changes when it is written and read")
        _ = try? message.texts(3)
    }
    var whole = NetworkManagerClient()
    let expected = whole.receive(bytes)
    var (client, actions) = (NetworkManagerClient(), [NetworkManagerClient.Action]())
    let piece = Int(bytes.first ?? 0) % 13 + 1
    var rest = bytes[...]
    while !rest.isEmpty, actions.last != .hangUp {
        actions += client.receive(rest.prefix(piece))
        rest = rest.dropFirst(piece)
    }
    require(actions == expected, "the same bytes in pieces lead to other actions")
    require(!actions.dropLast().contains(.hangUp), "an action follows hangUp")
}

/// For any bytes, reading stays inside of them and ends. The addresses are of the family that was asked for, and are in
/// the message. A time is one that RFC 2181 allows. A message that was cut off gives the same addresses or none.
func readAnswer(_ bytes: [UInt8]) {
    for family in AddressFamily.allCases {
        guard let answer = answerOf(bytes[...], family) else { continue }
        require(
            answer.addresses.count * family.leastRecord <= bytes.count, "more addresses than the message has room for")
        for found in answer.addresses {
            require(found.address.family == family, "an address of the other family")
            require(bytes.contains(found.address.bytes), "an address that is not in the message")
            require(found.timeToLive.map { $0 <= UInt32(Int32.max) } == true, "a time with the highest bit set")
        }
        for length in [bytes.count - 1, bytes.count / 2, 12] where (0..<bytes.count).contains(length) {
            guard let part = answerOf(bytes[..<length], family) else { continue }
            require(part == answer, "a part of the message says something else")
        }
        // The case of a question's name does not matter, and its first letter is here.
        var other = bytes
        other[13] ^= 0x20
        require(answerOf(other[...], family) == answer, "the case of a letter matters")
    }
}

private func answerOf(_ bytes: ArraySlice<UInt8>, _ family: AddressFamily) -> DNSAnswer? {
    // A copy with nothing behind it, so that Address Sanitizer notices each byte that is read beyond the end.
    let copy = Array(bytes)
    return try? DNSAnswer(reading: copy.span, name: "www.example.com", family: family)
}

extension AddressFamily {
    /// The size of an address record whose owner is a pointer (RFC 1035, sections 4.1.3 and 4.1.4).
    fileprivate var leastRecord: Int { 12 + (self == .v4 ? 4 : 16) }
}
