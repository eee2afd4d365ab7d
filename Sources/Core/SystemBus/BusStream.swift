// SPDX-License-Identifier: Apache-2.0

/// Splits the bytes from a bus into lines, and after the handshake into messages.
package struct BusStream: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// Far longer than any line of a handshake.
    static let longestLine = 1024

    package init() {}

    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The next line without its end. Nil until it is complete.
    package mutating func nextLine() throws(BusError) -> String? {
        let rest = bytes[start...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count <= Self.longestLine else { throw BusError() }
            return nil
        }
        let line = rest[..<end]
        guard line.last == UInt8(ascii: "\r"), line.count <= Self.longestLine else { throw BusError() }
        start = end + 1
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// The next message. Nil until it is complete.
    package mutating func nextMessage() throws(BusError) -> BusMessage? {
        let rest = bytes[start...]
        guard let size = try BusMessage.size(of: rest), rest.count >= size else { return nil }
        start += size
        return try BusMessage(Array(rest.prefix(size)))
    }
}
