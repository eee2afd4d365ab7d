// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Writes netlink requests one after another into a datagram. The memory is reused, so that a request allocates nothing.
@safe package struct MessageBuilder: ~Copyable {
    @unsafe private let storage: UnsafeMutableRawBufferPointer
    private var count = 0
    private var start = 0

    /// - Parameter capacity: holds a full batch of questions with every key.
    package init(capacity: Int = 16 << 10) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// Passes what was written since the last `clear`.
    package func withBytes<Value, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Value) throws(Failure) -> Value {
        // The memory lives as long as the builder, which is borrowed for the call.
        let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        return try body(span)
    }

    package mutating func clear() {
        count = 0
    }

    /// Begins a message. `finish` fills in its length.
    package mutating func begin(type: Int32, flags: Int32, sequence: UInt32) {
        start = count
        append(
            clinux_nlmsghdr(
                nlmsg_len: 0, nlmsg_type: UInt16(type), nlmsg_flags: UInt16(NLM_F_REQUEST | flags),
                nlmsg_seq: sequence, nlmsg_pid: 0))
    }

    /// Ends the message begun last.
    package mutating func finish() {
        // All parts are multiples of four bytes long, so messages need no padding between them.
        unsafe storage.storeBytes(of: UInt32(count - start), toByteOffset: start, as: UInt32.self)
    }

    /// Appends an integer in the machine's byte order, or a kernel structure of such integers.
    @inline(__always)
    package mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        unsafe precondition(count + MemoryLayout<Value>.size <= storage.count, "a request larger than its buffer")
        unsafe storage.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    package mutating func attribute(_ type: some BinaryInteger, _ value: UInt32) {
        attributeHeader(type, length: 4)
        append(value)
    }

    /// Appends an attribute of one or two bytes, with padding. The kernel complains of a longer one (nla_policy).
    package mutating func attribute(_ type: some BinaryInteger, short value: some FixedWidthInteger & BitwiseCopyable) {
        let length = value.bitWidth / 8
        append(clinux_rtattr(rta_len: UInt16(4 + length), rta_type: UInt16(truncatingIfNeeded: type)))
        append(value)
        for _ in length..<4 { append(0 as UInt8) }
    }

    /// Appends a text attribute, with closing zero and padding.
    package mutating func attribute(_ type: some BinaryInteger, _ text: String) {
        let bytes = text.unescapedBytes
        append(UInt16(4 + bytes.count + 1))
        append(UInt16(truncatingIfNeeded: type))
        for byte in bytes { append(byte) }
        repeat { append(0 as UInt8) } while count % 4 != 0
    }

    /// Begins an attribute of `length` bytes, which the caller appends. The length must be a multiple of four.
    package mutating func attributeHeader(_ type: some BinaryInteger, length: Int) {
        append(clinux_rtattr(rta_len: UInt16(4 + length), rta_type: UInt16(truncatingIfNeeded: type)))
    }
}
