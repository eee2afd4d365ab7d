// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Writes netlink requests, one behind the other, into one datagram.
package struct MessageBuilder {
    package private(set) var bytes: [UInt8] = []
    private var start = 0

    package init(capacity: Int = 128) {
        bytes.reserveCapacity(capacity)
    }

    /// Begins a message; its length is filled in by `finish`.
    package mutating func begin(type: Int32, flags: Int32, sequence: UInt32) {
        start = bytes.count
        append(0 as UInt32)
        append(UInt16(type))
        append(UInt16(NLM_F_REQUEST | flags))
        append(sequence)
        append(0 as UInt32)
    }

    /// Ends the message begun last.
    package mutating func finish() {
        let length = UInt32(bytes.count - start)
        // A trivial value's bytes, read while it is in scope; the same holds for `append`.
        unsafe withUnsafeBytes(of: length) { unsafe bytes.replaceSubrange(start..<start + 4, with: $0) }
        pad()
    }

    /// Appends an integer in the machine's byte order, as netlink's fixed headers have them.
    package mutating func append(_ value: some FixedWidthInteger & BitwiseCopyable) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func attribute(_ type: some BinaryInteger, _ value: UInt32) {
        append(8 as UInt16)
        append(UInt16(type))
        append(value)
    }

    package mutating func attribute(_ type: some BinaryInteger, _ payload: [UInt8]) {
        append(UInt16(4 + payload.count))
        append(UInt16(type))
        bytes.append(contentsOf: payload)
        pad()
    }

    private mutating func pad() {
        while bytes.count % 4 != 0 { bytes.append(0) }
    }
}
