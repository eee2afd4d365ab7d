// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A stream that other programs may have, too. So O_NONBLOCK stays as it is, which is a flag of what they share.
package struct SharedStream: Sendable {
    private let descriptor: Int32

    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes what the reader takes of a text now. The rest is dropped.
    package func offer(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, hasRoom, let count = try? writeToRoom(rest), count > 0 { rest = rest.dropFirst(count) }
    }

    /// Writes as much as a stream that has room takes without blocking. Returns how much that is.
    package func writeToRoom(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
        do throws(Errno) {
            return try write(isTerminal ? Self.terminalPart(of: bytes) : bytes.prefix(Self.page))
        } catch {
            // Another process made the file non-blocking, and yet another filled the pipe first.
            guard error == .wouldBlock else { throw error }
            return 0
        }
    }

    /// A pipe that has room takes a page (pipe(7)). A line of that length also stays in one piece.
    private static let page = 4096

    /// A terminal that has room takes 256 bytes of a line (the least buffer in drivers/tty/tty_buffer.c), or the end of one, before
    /// which it looks again whether there is room (do_output_char in drivers/tty/n_tty.c).
    private static func terminalPart(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = bytes.prefix(256).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? bytes.prefix(1) : line
    }

    /// Writes as much as the reader takes. Waits until it takes something, unless O_NONBLOCK is set.
    package func write(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
        try valueOrErrno(.write) {
            unsafe bytes.withUnsafeBytes { unsafe ReachabilityLinuxSystem.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Whether the reader takes something now. One that is gone counts as room.
    private var hasRoom: Bool {
        var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&awaited, 1, 0) > 0
    }

    /// Whether the stream is a terminal (isatty(3)).
    package var isTerminal: Bool { isatty(descriptor) == 1 }
}
