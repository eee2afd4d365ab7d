// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// System calls for non-blocking TCP sockets (tcp(7)).
package enum StreamSocket {
    /// One end of a connection: an address of four or sixteen bytes in network order, a port, and the interface of a
    /// link-local IPv6 address.
    package struct End: Hashable, Sendable {
        package var address: [UInt8]
        package var port: UInt16
        package var scope: UInt32

        package init(address: [UInt8], port: UInt16, scope: UInt32) {
            self.address = address
            self.port = port
            self.scope = scope
        }
    }

    /// Opens a TCP socket in the calling thread's namespace.
    package static func open(isIPv6: Bool) throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(
            family: isIPv6 ? AF_INET6 : AF_INET, type: Int32(SOCK_STREAM.rawValue), protocol: Int32(IPPROTO_TCP))
    }

    // MARK: Connecting

    /// Begins to connect. Returns false if that takes a while; the socket becomes writable at the end.
    package static func connect(_ descriptor: borrowing OwnedDescriptor, to end: End) throws(Errno) -> Bool {
        do throws(Errno) {
            try InternetSocket.connect(descriptor.rawValue, to: end)
            return true
        } catch {
            if error == .inProgress { return false }
            throw error
        }
    }

    /// Takes the pending error of the socket (SO_ERROR); nil if there is none.
    package static func takeError(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> Errno? {
        let number: Int32 = try InternetSocket.option(SO_ERROR, of: descriptor.rawValue)
        return number == 0 ? nil : Errno(rawValue: number)
    }

    /// One end of an IPv4 or IPv6 socket (getsockname(2), getpeername(2)).
    package static func end(of rawValue: Int32, isPeer: Bool) throws(Errno) -> End {
        var bytes = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        var scope: UInt32 = 0
        let length = try valueOrErrno(.getOption) {
            unsafe clinux_socket_end(rawValue, isPeer ? 1 : 0, &bytes, &port, &scope)
        }
        bytes.removeLast(bytes.count - Int(length))
        return End(address: bytes, port: port, scope: scope)
    }

    // MARK: Options

    /// Allows several sockets with the same local end (SO_REUSEADDR, SO_REUSEPORT in socket(7)). To be called before `bind`.
    package static func allowReuse(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, to: 1 as Int32)
        try descriptor.setOption(SOL_SOCKET, SO_REUSEPORT, to: 1 as Int32)
    }

    /// Sends small writes at once (TCP_NODELAY).
    package static func setNoDelay(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, to: 1 as Int32)
    }

    /// Makes the kernel probe an idle peer. A zero keeps the system's default. Values are limited to what the kernel accepts
    /// (MAX_TCP_KEEPIDLE and its like in include/net/tcp.h).
    package static func setKeepalive(
        _ descriptor: borrowing OwnedDescriptor, idleSeconds: Int32, intervalSeconds: Int32, count: Int32
    ) throws(Errno) {
        let tcp = Int32(IPPROTO_TCP)
        try descriptor.setOption(SOL_SOCKET, SO_KEEPALIVE, to: 1 as Int32)
        if idleSeconds > 0 { try descriptor.setOption(tcp, TCP_KEEPIDLE, to: min(idleSeconds, 32_767)) }
        if intervalSeconds > 0 { try descriptor.setOption(tcp, TCP_KEEPINTVL, to: min(intervalSeconds, 32_767)) }
        if count > 0 { try descriptor.setOption(tcp, TCP_KEEPCNT, to: min(count, 127)) }
    }

    /// Makes close(2) reset the connection (SO_LINGER with zero seconds, socket(7)).
    package static func resetOnClose(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0))
    }

    // MARK: Data

    /// Receives bytes. Returns 0 at the end of the stream.
    package static func read(
        _ descriptor: borrowing OwnedDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try descriptor.call(.receive) { unsafe recv($0, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as the kernel takes now. If the peer is gone, fails without a signal.
    package static func write(
        _ descriptor: borrowing OwnedDescriptor, _ bytes: UnsafeRawBufferPointer
    ) throws(Errno) -> Int {
        try descriptor.call(.send) { unsafe send($0, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Receives at most `limit` bytes. Returns none at the end of the stream.
    package static func read(
        _ descriptor: borrowing OwnedDescriptor, upTo limit: Int
    ) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try descriptor.call(.receive) { unsafe recv($0, &bytes, limit, 0) }
        return Array(bytes[..<count])
    }

    /// Sends as many bytes as the kernel takes now, and returns their number.
    package static func write(_ descriptor: borrowing OwnedDescriptor, _ bytes: [UInt8]) throws(Errno) -> Int {
        try descriptor.call(.send) { unsafe send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Tells the peer that nothing more follows (shutdown(2)).
    package static func closeWriting(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        _ = try descriptor.call(.send) { shutdown($0, Int32(SHUT_WR)) }
    }
}

extension IPAddress {
    package init(_ end: StreamSocket.End) { self.init(bytes: end.address, scope: end.scope) }
}
