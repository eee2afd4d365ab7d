// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

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
