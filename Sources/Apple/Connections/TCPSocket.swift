// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// System calls for non-blocking TCP sockets (tcp(7)).
enum TCPSocket {
    /// Opens a socket in the calling thread's namespace.
    static func open(_ family: AddressFamily) throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(
            family: family == .v4 ? AF_INET : AF_INET6, type: Int32(SOCK_STREAM.rawValue), protocol: Int32(IPPROTO_TCP))
    }

    // MARK: Connecting

    /// Begins to connect. Returns false if that takes a while; the socket becomes writable at the end.
    static func connect(_ descriptor: borrowing OwnedDescriptor, to end: InternetSocket.End) throws(Errno) -> Bool {
        do throws(Errno) {
            try InternetSocket.connect(descriptor.rawValue, to: end)
            return true
        } catch {
            if error == .inProgress { return false }
            throw error
        }
    }

    /// Takes the pending error of the socket (SO_ERROR); nil if there is none.
    static func takeError(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> Errno? {
        let number: Int32 = try InternetSocket.option(SO_ERROR, of: descriptor.rawValue)
        return number == 0 ? nil : Errno(rawValue: number)
    }

    // MARK: Options

    /// Allows several sockets with the same local end (SO_REUSEADDR, SO_REUSEPORT in socket(7)). To be called before `bind`.
    static func allowReuse(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, to: 1 as Int32)
        try descriptor.setOption(SOL_SOCKET, SO_REUSEPORT, to: 1 as Int32)
    }

    /// Sends small writes at once (TCP_NODELAY).
    static func setNoDelay(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, to: 1 as Int32)
    }

    /// Makes the kernel probe an idle peer. A zero keeps the system's default. Values are limited to what the kernel accepts
    /// (MAX_TCP_KEEPIDLE and its like in include/net/tcp.h).
    static func setKeepalive(
        _ descriptor: borrowing OwnedDescriptor, idleSeconds: Int32, intervalSeconds: Int32, count: Int32
    ) throws(Errno) {
        let tcp = Int32(IPPROTO_TCP)
        try descriptor.setOption(SOL_SOCKET, SO_KEEPALIVE, to: 1 as Int32)
        if idleSeconds > 0 { try descriptor.setOption(tcp, TCP_KEEPIDLE, to: min(idleSeconds, 32_767)) }
        if intervalSeconds > 0 { try descriptor.setOption(tcp, TCP_KEEPINTVL, to: min(intervalSeconds, 32_767)) }
        if count > 0 { try descriptor.setOption(tcp, TCP_KEEPCNT, to: min(count, 127)) }
    }

    /// Makes close(2) reset the connection (SO_LINGER with zero seconds, socket(7)).
    static func resetOnClose(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0))
    }

    // MARK: Data

    /// Receives bytes. Returns 0 at the end of the stream.
    static func read(
        _ descriptor: borrowing OwnedDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try descriptor.call(.receive) { unsafe recv($0, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as the kernel takes now. If the peer is gone, fails without a signal.
    static func write(_ descriptor: borrowing OwnedDescriptor, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try descriptor.call(.send) { unsafe send($0, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Tells the peer that nothing more follows (shutdown(2)).
    static func closeWriting(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        _ = try descriptor.call(.send) { shutdown($0, Int32(SHUT_WR)) }
    }
}
