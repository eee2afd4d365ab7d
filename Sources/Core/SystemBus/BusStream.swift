// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

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
            guard rest.count <= Self.longestLine else { throw .badLine }
            return nil
        }
        let line = rest[..<end]
        guard line.last == UInt8(ascii: "\r"), line.count <= Self.longestLine else { throw .badLine }
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

/// Authenticates this process to a bus (D-Bus Specification, "Authentication Protocol") by the mechanism EXTERNAL: the
/// bus asks the kernel for the user.
///
/// The client names no user. In a container's user namespace our user number may differ from the one the bus sees.
package struct BusHandshake: Sendable {
    /// What to do after a line.
    package enum Step: Hashable, Sendable {
        case send([UInt8])
        /// The bus accepts this process. Send this before the first message.
        case done([UInt8])
        case refused
    }

    private var hasSentData = false

    package init() {}

    /// A client's first bytes. Some systems pass credentials with the zero byte.
    package static let opening = [0] + Array("AUTH EXTERNAL\r\n".utf8)

    /// To be called until the handshake is done or refused.
    package mutating func take(_ line: String) -> Step {
        let word = line.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        switch word {
        case "DATA" where !hasSentData:
            hasSentData = true
            return .send(Array("DATA\r\n".utf8))
        case "OK": return .done(Array("BEGIN\r\n".utf8))
        default: return .refused
        }
    }
}

/// Limits how much is read from a bus.
///
/// NetworkManager's properties change a few times when a network does, with about a kilobyte each. A sender of a
/// thousand times as much is broken or hostile, and reading it would keep the engine from its work.
struct ReceiveLimit {
    static let byteLimit = 1 << 20
    /// Long, so that also a reader that gets little processor time notices.
    static let window: Duration = .seconds(60)

    private var windowStart: BootTime?
    private var byteCount = 0

    /// Counts received bytes. Returns false if they exceed the limit.
    mutating func add(_ count: Int, at now: BootTime) -> Bool {
        if let windowStart, now < windowStart.advanced(by: Self.window) {
            byteCount += count
        } else {
            (windowStart, byteCount) = (now, count)
        }
        return byteCount <= Self.byteLimit
    }
}
