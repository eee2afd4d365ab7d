// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// A listening TCP socket. Make it on a thread in the server's namespace.
package final class TCPListener: Sendable {
    private let descriptor: OwnedDescriptor
    package let port: UInt16

    /// - Parameter address: nil for all addresses of this namespace.
    package init(at address: IPAddress? = nil, port: UInt16 = 0) throws(Errno) {
        descriptor = try Machine.bind(SOCK_STREAM, to: address ?? .v6(.any), port)
        guard listen(descriptor.rawValue, 4096) == 0 else { throw .current }
        self.port = try InternetSocket.end(of: descriptor.rawValue, isPeer: false).port
    }

    package struct NoClient: Error {}

    /// Waits for the next client.
    ///
    /// - Parameter limit: nil to wait until `stop`.
    package func accept(within limit: Duration? = Machine.timeout) throws -> TCPPeer {
        while waitReadable(descriptor.rawValue, limit) > 0 {
            let client = Glibc.accept(descriptor.rawValue, nil, nil)
            if client >= 0 { return TCPPeer(client) }
            // The client may have closed the connection in the meantime (accept(2)).
            guard Errno.current == .wouldBlock else { break }
        }
        throw NoClient()
    }

    /// Stops accepting clients, and ends a wait for one.
    package func stop() { InternetSocket.shutDown(descriptor.rawValue) }
}

/// The server's end of a connection.
package final class TCPPeer: Sendable {
    private let descriptor: Int32
    private let isOpen = Lock(true)

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        end()
    }

    /// Reads this many bytes; fewer at the end of the stream.
    ///
    /// - Parameter limit: nil to wait until the peer closes the connection or `interrupt` is called.
    package func read(_ count: Int, within limit: Duration? = Machine.timeout) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count < count, waitReadable(descriptor, limit) > 0 {
            let found = unsafe recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            guard found > 0 else { break }
            bytes += buffer[..<found]
        }
        return bytes
    }

    /// Whether the client has ended the stream, or reset it.
    package func seesEnd() -> Bool { read(1).isEmpty }

    /// Returns whether the kernel accepts the bytes; after a reset it does not.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) >= 0
    }

    package func closeWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    package func end() {
        isOpen.withLock { isOpen in
            if isOpen { close(descriptor) }
            isOpen = false
        }
    }

    /// Ends another thread's wait for data from the client.
    func interrupt() { isOpen.withLock { if $0 { InternetSocket.shutDown(descriptor) } } }
}
