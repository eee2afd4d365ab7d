// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

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
        precondition(end.address.count == 4 || end.address.count == 16)
        let rawValue = descriptor.rawValue
        do throws(Errno) {
            _ = try valueOrErrno(.connect) {
                unsafe clinux_connect_stream(rawValue, end.address, end.address.count, end.port, end.scope)
            }
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
        return End(address: Array(bytes.prefix(Int(length))), port: port, scope: scope)
    }

    /// Sets the local end (bind(2)). With port 0 the kernel chooses one.
    package static func bind(_ descriptor: borrowing OwnedDescriptor, to end: End) throws(Errno) {
        precondition(end.address.count == 4 || end.address.count == 16)
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.bind) {
            unsafe clinux_bind_stream(rawValue, end.address, end.address.count, end.port, end.scope)
        }
    }

    // MARK: Options

    /// Allows several sockets with the same local end (SO_REUSEADDR, SO_REUSEPORT in socket(7)). To be called before `bind`.
    package static func allowReuse(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        try set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
    }

    /// Sends small writes at once (TCP_NODELAY).
    package static func setNoDelay(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Makes the kernel probe an idle peer. A zero keeps the system's default. Values are limited to what the kernel accepts
    /// (MAX_TCP_KEEPIDLE and its like in include/net/tcp.h).
    package static func setKeepalive(
        _ descriptor: borrowing OwnedDescriptor, idleSeconds: Int32, intervalSeconds: Int32, count: Int32
    ) throws(Errno) {
        try set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        if idleSeconds > 0 { try set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, min(idleSeconds, 32_767)) }
        if intervalSeconds > 0 { try set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, min(intervalSeconds, 32_767)) }
        if count > 0 { try set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, min(count, 127)) }
    }

    /// Makes close(2) reset the connection.
    package static func resetOnClose(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) { clinux_reset_on_close(rawValue) }
    }

    private static func set(
        _ descriptor: borrowing OwnedDescriptor, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(Errno) {
        let rawValue = descriptor.rawValue
        var value = value
        _ = try valueOrErrno(.setOption) { unsafe setsockopt(rawValue, level, option, &value, 4) }
    }

    // MARK: Data

    /// Receives bytes. Returns 0 at the end of the stream.
    package static func read(
        _ descriptor: borrowing OwnedDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        let rawValue = descriptor.rawValue
        return try valueOrErrno(.receive) { unsafe recv(rawValue, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as the kernel takes now. If the peer is gone, fails without a signal.
    package static func write(
        _ descriptor: borrowing OwnedDescriptor, _ bytes: UnsafeRawBufferPointer
    ) throws(Errno) -> Int {
        let rawValue = descriptor.rawValue
        return try valueOrErrno(.send) {
            unsafe send(rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Receives at most `limit` bytes. Returns none at the end of the stream.
    package static func read(
        _ descriptor: borrowing OwnedDescriptor, upTo limit: Int
    ) throws(Errno) -> [UInt8] {
        let rawValue = descriptor.rawValue
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try valueOrErrno(.receive) { unsafe recv(rawValue, &bytes, limit, 0) }
        return Array(bytes[..<count])
    }

    /// Sends as many bytes as the kernel takes now, and returns their number.
    package static func write(_ descriptor: borrowing OwnedDescriptor, _ bytes: [UInt8]) throws(Errno) -> Int {
        let rawValue = descriptor.rawValue
        return try valueOrErrno(.send) { unsafe send(rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Tells the peer that nothing more follows (shutdown(2)).
    package static func closeWriting(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.send) { shutdown(rawValue, Int32(SHUT_WR)) }
    }
}

extension IPAddress {
    package init(_ end: StreamSocket.End) {
        let address = IPAddress(bytes: end.address)
        if case .v6(let inner, _) = address {
            self = .v6(inner, scope: Scope(number: end.scope))
        } else {
            self = address
        }
    }
}

/// System calls for Unix sockets (unix(7)). `StreamSocket` reads and writes them.
package enum UnixSocket {
    /// The address of a socket.
    package enum Name: Hashable, Sendable {
        /// A path in the file system, which is visible from every network namespace.
        case path([UInt8])
        /// A name without a file, visible in one network namespace only. Does not include the leading zero.
        case abstract([UInt8])
    }

    /// The largest number of bytes in a name, beside the zero that belongs to each.
    package static let longestName = Int(CLINUX_UNIX_NAME) - 1

    /// Opens a non-blocking, close-on-exec socket in the calling thread's namespace.
    package static func open() throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_STREAM.rawValue), protocol: 0)
    }

    /// Opens a socket for datagrams, with the same properties.
    package static func openDatagram() throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
    }

    /// Connects at once or fails. If the listener's queue is full, the error is EAGAIN, and no event will follow.
    package static func connect(_ descriptor: borrowing OwnedDescriptor, to name: Name) throws(Errno) {
        let rawValue = descriptor.rawValue
        let (bytes, isAbstract): ([UInt8], Int32) =
            switch name {
            case .path(let bytes): (bytes, 0)
            case .abstract(let bytes): (bytes, 1)
            }
        _ = try valueOrErrno(.connect) { unsafe clinux_connect_unix(rawValue, bytes, bytes.count, isAbstract) }
    }

    /// The address of the peer; nil if it has none.
    package static func peerName(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> Name? {
        let rawValue = descriptor.rawValue
        var bytes = [UInt8](repeating: 0, count: Int(CLINUX_UNIX_NAME))
        let count = try valueOrErrno(.getOption) { unsafe clinux_unix_peer(rawValue, &bytes) }
        guard count > 0 else { return nil }
        let name = bytes[..<Int(count)]
        return name.first == 0 ? .abstract(Array(name.dropFirst())) : .path(Array(name.prefix { $0 != 0 }))
    }

    /// Whether a socket of the calling thread's network namespace listens at a path. False if the kernel does not tell
    /// (CONFIG_UNIX_DIAG). The list in /proc/net/unix does not do: a name may contain line feeds, and pass for another entry.
    package static func hasListener(at path: [UInt8]) -> Bool {
        let diagnosis = try? InternetSocket.open(
            family: AF_NETLINK, type: Int32(SOCK_RAW.rawValue), protocol: NETLINK_SOCK_DIAG)
        guard let diagnosis else { return false }
        return unsafe clinux_unix_listens(diagnosis.rawValue, path, path.count) == 1
    }
}
