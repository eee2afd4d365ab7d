// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Netlink messages as the kernel writes them, on a little-endian machine.
extension [UInt8] {
    package mutating func append(little value: some FixedWidthInteger) { self += value.bytes }

    package mutating func replace(at offset: Int, with value: some FixedWidthInteger) {
        replaceSubrange(offset..<offset + value.bitWidth / 8, with: value.bytes)
    }

    /// A little-endian netlink message.
    package static func message(
        type: Int, flags: UInt16 = 0, sequence: UInt32 = 0, port: UInt32 = 0, _ payload: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt32(16 + payload.count))
        bytes.append(little: UInt16(type))
        bytes.append(little: flags)
        bytes.append(little: sequence)
        bytes.append(little: port)
        return bytes + payload
    }

    package static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt16(4 + value.count))
        bytes.append(little: type)
        return bytes + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    /// The announcement of a route in the kernel's layout.
    package static func route(_ prefix: Prefix, deleted: Bool = false) -> [UInt8] {
        let family: UInt8 = prefix.base.family == .v4 ? 2 : 10
        var payload: [UInt8] = [family, prefix.length, 0, 0, 254, 3, 0, 1]
        payload.append(little: 0 as UInt32)  // rtm_flags
        payload += attribute(15, [254, 0, 0, 0])
        if prefix.length > 0 { payload += attribute(1, prefix.base.bytes) }
        payload += attribute(4, [3, 0, 0, 0])
        return message(type: deleted ? 25 : 24, payload)
    }

    /// The answer that is an error; number 0 is an acknowledgement.
    package static func refusal(_ error: Errno) -> [UInt8] {
        message(type: 2, (-error.rawValue).bytes + [UInt8](repeating: 0, count: 16))
    }

    /// The same message with the sequence number and port of a request.
    package func stamped(_ sequence: UInt32, _ port: UInt32) -> [UInt8] {
        var message = self
        message.replace(at: 8, with: sequence)
        message.replace(at: 12, with: port)
        return message
    }
}

extension FixedWidthInteger {
    /// Those of a little-endian machine.
    package var bytes: [UInt8] { unsafe withUnsafeBytes(of: littleEndian) { unsafe Array($0) } }
}
