// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
package import ReachabilitySystemBus
import Synchronization

/// One end of a blocking connection to a bus: the bus of a test, or a client of a real one.
package final class BusPeer: @unchecked Sendable {  // read by one thread; its descriptor never changes
    private let descriptor: Int32
    private var stream = BusStream()
    private let writing = Mutex(())

    package struct End: Error {}

    /// Owns a connected socket.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects to the socket of a running bus.
    package convenience init(connectedTo path: String) throws {
        let socket = try UnixSocket.open()
        try UnixSocket.connect(socket, to: .path(Array(path.utf8)))
        let descriptor = socket.release()
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
        self.init(owning: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Ends the connection in both directions. A thread that reads here sees the end.
    package func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends in pieces of at most `piece` bytes. The receiver may get several pieces in one read.
    package func send(_ bytes: [UInt8], piece: Int = .max) {
        writing.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(piece))
                let count = unsafe Glibc.send(descriptor, part, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    package func send(_ message: BusMessage) { send(message.encoded) }

    package func nextLine() throws -> String {
        while true {
            if let line = try stream.nextLine() { return line }
            try receive()
        }
    }

    package func nextMessage() throws -> BusMessage {
        while true {
            if let message = try stream.nextMessage() { return message }
            try receive()
        }
    }

    /// Blocks until the other end is closed, and ignores what it sends before.
    package func waitForEnd() {
        while (try? receive()) != nil {}
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw End() }
        stream.append(buffer[..<count])
    }
}
