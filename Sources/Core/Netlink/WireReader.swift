// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// A malformed part of a datagram, and its offset.
package struct WireError: Error, Hashable, Sendable {
    package let offset: Int
    package let problem: Problem

    package enum Problem: Hashable, Sendable {
        /// Fewer bytes are left than the value needs.
        case truncated
        /// A length field is smaller than the header that it includes.
        case impossibleLength
    }
}

/// The header of a netlink message (struct nlmsghdr, linux/netlink.h).
package struct MessageHeader: Hashable, Sendable {
    package var type: UInt16
    package var flags: UInt16
    package var sequence: UInt32
    package var port: UInt32

    static let size = 16
}

/// Reads netlink's wire format. Checks every access against the bytes that exist.
///
/// No function stores a span. Each passes parts of it to a closure.
package enum WireReader {
    /// Passes the header and payload of each message in a datagram.
    package static func forEachMessage(
        in datagram: RawSpan, _ body: (MessageHeader, RawSpan) throws(WireError) -> Void
    ) throws(WireError) {
        var offset = 0
        while offset < datagram.byteCount {
            let fixed: clinux_nlmsghdr = try datagram.loadIntegers(at: offset)
            let length = Int(fixed.nlmsg_len)
            guard length >= MessageHeader.size else { throw WireError(offset: offset, problem: .impossibleLength) }
            guard length <= datagram.byteCount - offset else { throw WireError(offset: offset, problem: .truncated) }
            let header = MessageHeader(
                type: fixed.nlmsg_type, flags: fixed.nlmsg_flags, sequence: fixed.nlmsg_seq, port: fixed.nlmsg_pid)
            try body(header, datagram.extracting(offset + MessageHeader.size..<offset + length))
            offset += aligned(length)
        }
    }

    /// Passes the type and payload of each attribute (struct rtattr, linux/rtnetlink.h) from `start` on. The type is without
    /// the nesting and byte-order bits.
    package static func forEachAttribute(
        in payload: RawSpan, from start: Int = 0, _ body: (UInt16, RawSpan) throws(WireError) -> Void
    ) throws(WireError) {
        var offset = start
        // A rest that is too short for a header is padding.
        while payload.byteCount - offset >= 4 {
            let header: clinux_rtattr = try payload.loadIntegers(at: offset)
            let length = Int(header.rta_len)
            guard length >= 4 else { throw WireError(offset: offset, problem: .impossibleLength) }
            guard length <= payload.byteCount - offset else { throw WireError(offset: offset, problem: .truncated) }
            try body(header.rta_type & typeMask, payload.extracting(offset + 4..<offset + length))
            offset += aligned(length)
        }
    }

    /// NLMSG_ALIGN and RTA_ALIGN are the same.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// NLA_TYPE_MASK of linux/netlink.h, which Swift does not import. Computed, because a stored one would be initialised
    /// lazily, at the cost of a check or a lock at each use.
    private static var typeMask: UInt16 { UInt16(~(NLA_F_NESTED | NLA_F_NET_BYTEORDER) & 0xFFFF) }
}

extension RawSpan {
    /// An integer in the machine's byte order, at any offset.
    package func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _: Value.Type = Value.self, at offset: Int
    ) throws(WireError) -> Value {
        try loadIntegers(at: offset)
    }

    /// An integer, or a kernel structure of integers, for which any bytes are valid.
    @inline(__always)
    fileprivate func loadIntegers<Value: BitwiseCopyable>(at offset: Int) throws(WireError) -> Value {
        guard offset >= 0, byteCount - offset >= MemoryLayout<Value>.size else {
            throw WireError(offset: offset, problem: .truncated)
        }
        // The bounds were checked above.
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Value.self)
    }

    /// An integer in network order.
    package func loadBigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        _: Value.Type = Value.self, at offset: Int
    ) throws(WireError) -> Value {
        Value(bigEndian: try load(at: offset))
    }

    /// The bytes in a range.
    package func bytes(_ range: Range<Int>) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        for offset in range { bytes.append(try load(at: offset)) }
        return bytes
    }

    /// Text up to the first zero byte or the end.
    package func text() throws(WireError) -> String {
        String(escaping: Array(try bytes(0..<byteCount).prefix { $0 != 0 }))
    }
}
