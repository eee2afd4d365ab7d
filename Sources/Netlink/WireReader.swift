// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Something in a datagram that does not fit: always an offset, so that a test can say where.
package struct WireError: Error, Hashable, Sendable {
    package let offset: Int
    package let problem: Problem

    package enum Problem: Hashable, Sendable {
        /// Fewer bytes are left than the value needs.
        case truncated
        /// A length field that is smaller than the header it counts.
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

/// Reading netlink's wire format: every access is checked against the bytes that are there.
///
/// Nothing here keeps a span: each function passes parts of it to a closure and is done with it afterwards.
package enum WireReader {
    /// Passes each message of a datagram: its header, and what follows it.
    package static func forEachMessage(
        in datagram: RawSpan, _ body: (MessageHeader, RawSpan) throws(WireError) -> Void
    ) throws(WireError) {
        var offset = 0
        while offset < datagram.byteCount {
            let fixed: nlmsghdr = try datagram.loadIntegers(at: offset)
            let length = Int(fixed.nlmsg_len)
            guard length >= MessageHeader.size else { throw WireError(offset: offset, problem: .impossibleLength) }
            guard length <= datagram.byteCount - offset else { throw WireError(offset: offset, problem: .truncated) }
            let header = MessageHeader(
                type: fixed.nlmsg_type, flags: fixed.nlmsg_flags, sequence: fixed.nlmsg_seq, port: fixed.nlmsg_pid)
            try body(header, datagram.extracting(offset + MessageHeader.size..<offset + length))
            offset += aligned(length)
        }
    }

    /// Passes each attribute (struct rtattr, linux/rtnetlink.h) from `start` on: its type without the nesting and
    /// byte-order bits, and its payload.
    package static func forEachAttribute(
        in payload: RawSpan, from start: Int = 0, _ body: (UInt16, RawSpan) throws(WireError) -> Void
    ) throws(WireError) {
        var offset = start
        // What is left over when a header no longer fits is padding.
        while payload.byteCount - offset >= 4 {
            let header: rtattr = try payload.loadIntegers(at: offset)
            let length = Int(header.rta_len)
            guard length >= 4 else { throw WireError(offset: offset, problem: .impossibleLength) }
            guard length <= payload.byteCount - offset else { throw WireError(offset: offset, problem: .truncated) }
            try body(header.rta_type & UInt16(NLA_TYPE_MASK_VALUE), payload.extracting(offset + 4..<offset + length))
            offset += aligned(length)
        }
    }

    /// NLMSG_ALIGN and RTA_ALIGN are the same.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// NLA_TYPE_MASK of linux/netlink.h, an expression Swift does not import.
    private static let NLA_TYPE_MASK_VALUE = ~(NLA_F_NESTED | NLA_F_NET_BYTEORDER) & 0xFFFF
}

extension RawSpan {
    /// An integer in the machine's byte order, wherever it lies.
    package func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _: Value.Type = Value.self, at offset: Int
    ) throws(WireError) -> Value {
        try loadIntegers(at: offset)
    }

    /// An integer, or one of the kernel's structures that consist of integers only, so that any bytes are a valid one.
    @inline(__always)
    fileprivate func loadIntegers<Value: BitwiseCopyable>(at offset: Int) throws(WireError) -> Value {
        guard offset >= 0, byteCount - offset >= MemoryLayout<Value>.size else {
            throw WireError(offset: offset, problem: .truncated)
        }
        // The bounds were checked in the line above.
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Value.self)
    }

    /// An integer sent in network order.
    package func loadBigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        _: Value.Type = Value.self, at offset: Int
    ) throws(WireError) -> Value {
        Value(bigEndian: try load(at: offset))
    }

    /// Text up to the first zero byte or the end.
    package func text() throws(WireError) -> String {
        var bytes: [UInt8] = []
        for offset in 0..<byteCount {
            let byte = try load(UInt8.self, at: offset)
            if byte == 0 { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
