// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
package import ReachabilityLinuxSystem
import TestWaiting

/// A TCP server that a test controls. Make it on a thread in the server's namespace.
package final class TCPListener: @unchecked Sendable {  // its descriptor never changes
    private let descriptor: Int32
    package let port: UInt16

    /// Listens on all addresses of this namespace.
    package init(port: UInt16 = 0) throws(Errno) {
        descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let descriptor = descriptor
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0, listen(descriptor, 4096) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(descriptor, address, &length)
            }
        }
        self.port = UInt16(bigEndian: address.sin6_port)
        guard status == 0 else { throw Errno(rawValue: errno) }
    }

    deinit {
        close(descriptor)
    }

    package struct NoClient: Error {}

    /// Waits for the next client.
    package func accept() throws -> TCPPeer {
        guard topology_wait_readable(descriptor, WaitLimit.milliseconds) > 0 else { throw NoClient() }
        let client = Glibc.accept(descriptor, nil, nil)
        guard client >= 0 else { throw NoClient() }
        return TCPPeer(client)
    }

    /// Accepts no more clients, and ends a wait for one.
    package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The server's end of a connection.
package final class TCPPeer: @unchecked Sendable {  // used by one thread at a time
    private let descriptor: Int32
    private var isOpen = true

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        end()
    }

    /// Reads this many bytes; fewer at the end of the stream.
    package func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count < count, topology_wait_readable(descriptor, WaitLimit.milliseconds) > 0 {
            let found = unsafe recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            guard found > 0 else { break }
            bytes += buffer[..<found]
        }
        return bytes
    }

    /// Whether the client has ended the stream, or reset it.
    package func seesEnd() -> Bool { read(1).isEmpty }

    /// Returns whether the kernel takes them: not after a reset.
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
        guard isOpen else { return }
        isOpen = false
        close(descriptor)
    }
}
