// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

// Calls these two system calls outside `InternetSocket`, where its own methods have the same names.

@unsafe private func bindSocket(_ rawDescriptor: Int32, _ end: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    unsafe bind(rawDescriptor, end, length)
}

@unsafe private func connectSocket(_ rawDescriptor: Int32, _ end: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32
{
    unsafe connect(rawDescriptor, end, length)
}

/// System calls for IPv4 and IPv6 sockets (socket(7), ip(7), ipv6(7)).
///
/// They take plain descriptors and pointers, because c-ares passes these.
package enum InternetSocket {
    /// Opens a non-blocking, close-on-exec socket in a network namespace, or without one in that of the calling thread.
    package static func open(
        family: Int32, type: Int32, protocol: Int32, in namespace: NamespaceHandle? = nil
    ) throws(Errno) -> OwnedDescriptor {
        let make: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
            let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            return try OwnedDescriptor(.socket) { socket(family, type | flags, `protocol`) }.release()
        }
        let rawDescriptor = if let namespace { try namespace.makeSocket(make) } else { try make() }
        return OwnedDescriptor(owning: rawDescriptor)
    }

    /// Opens a UDP socket.
    package static func open(
        datagramsOf family: AddressFamily, in namespace: NamespaceHandle?
    ) throws(Errno) -> OwnedDescriptor {
        try open(
            family: family == .v4 ? AF_INET : AF_INET6, type: Int32(SOCK_DGRAM.rawValue), protocol: 0, in: namespace)
    }

    /// Restricts a socket to one interface (SO_BINDTODEVICE).
    package static func bind(_ rawDescriptor: Int32, toDevice name: String) throws(Errno) {
        let bytes = name.unescapedBytes
        _ = try valueOrErrno(.setOption) {
            unsafe setsockopt(rawDescriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
        }
    }

    /// Sets the firewall mark of a socket's packets (SO_MARK). Needs CAP_NET_ADMIN.
    package static func setMark(_ descriptor: borrowing OwnedDescriptor, _ mark: UInt32) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_MARK, to: mark)
    }

    /// One end of a TCP or UDP socket.
    package struct End: Hashable, Sendable {
        package var address: IPAddress
        package var port: UInt16

        package init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }
    }

    /// Sets the local end of a socket (bind(2)). With port 0 the kernel chooses one.
    package static func bind(_ rawDescriptor: Int32, to end: End) throws(Errno) {
        try unsafe end.address.withSocketAddress(port: end.port) { (address, length) throws(Errno) in
            _ = try valueOrErrno(.bind) { unsafe bindSocket(rawDescriptor, address, length) }
        }
    }

    /// Connects a socket (connect(2)).
    package static func connect(_ rawDescriptor: Int32, to end: End) throws(Errno) {
        try unsafe end.address.withSocketAddress(port: end.port) { (address, length) throws(Errno) in
            _ = try valueOrErrno(.connect) { unsafe connectSocket(rawDescriptor, address, length) }
        }
    }

    /// One end of an IPv4 or IPv6 socket (getsockname(2), getpeername(2)).
    package static func end(of rawDescriptor: Int32, isPeer: Bool) throws(Errno) -> End {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = try valueOrErrno(.getOption) {
            unsafe withUnsafeMutableBytes(of: &storage) { bytes in
                let address = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
                return unsafe (isPeer ? getpeername : getsockname)(rawDescriptor, address, &length)
            }
        }
        let address = unsafe withUnsafeBytes(of: storage) { bytes in
            IPAddress(socketAddress: unsafe RawSpan(_unsafeBytes: bytes))
        }
        guard let address else { throw .addressFamilyNotSupported }
        // The port is at the same place in both structures.
        return End(address, port: UInt16(bigEndian: storage.sin6_port))
    }

    /// Receives bytes, and the sender's `sockaddr` if the caller passes memory for it.
    @unsafe package static func receive(
        _ rawDescriptor: Int32, into buffer: UnsafeMutableRawPointer, capacity: Int, flags: Int32,
        sender: UnsafeMutableRawPointer?, senderLength: UnsafeMutablePointer<UInt32>?
    ) throws(Errno) -> Int {
        let address = unsafe sender?.assumingMemoryBound(to: sockaddr.self)
        return try valueOrErrno(.receive) {
            unsafe recvfrom(rawDescriptor, buffer, capacity, flags, address, senderLength)
        }
    }

    /// Sends an array of `count` iovec structures.
    @unsafe package static func send(
        _ rawDescriptor: Int32, vector: UnsafeRawPointer, count: Int32
    ) throws(Errno) -> Int {
        try valueOrErrno(.send) { unsafe clinux_send_vector(rawDescriptor, vector, count) }
    }

    /// Ends sending and receiving (shutdown(2)). The socket becomes readable.
    package static func shutDown(_ rawDescriptor: Int32) {
        _ = shutdown(rawDescriptor, Int32(SHUT_RDWR))
    }

    /// Closes a descriptor that its former owner gave up with `release`.
    package static func close(_ rawDescriptor: Int32) {
        _ = OwnedDescriptor(owning: rawDescriptor)
    }
}

extension InternetSocket {
    /// The mark of a socket and the index of the interface it is bound to; 0 for none (SO_MARK, SO_BINDTOIFINDEX).
    package static func routingKeys(
        of socket: borrowing OwnedDescriptor
    ) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        try routingKeys(of: socket.rawValue)
    }

    package static func routingKeys(of rawDescriptor: Int32) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        (try option(SO_MARK, of: rawDescriptor), try option(SO_BINDTOIFINDEX, of: rawDescriptor))
    }

    /// The value of an option that is a number (getsockopt(2)).
    package static func option<Value: FixedWidthInteger>(
        _ name: Int32, level: Int32 = SOL_SOCKET, of rawDescriptor: Int32
    ) throws(Errno) -> Value {
        var value: Value = 0
        var length = socklen_t(MemoryLayout<Value>.size)
        _ = try valueOrErrno(.getOption) { unsafe getsockopt(rawDescriptor, level, name, &value, &length) }
        return value
    }
}

/// A UDP socket that is connected in order to learn about routes: connect(2) looks up a route and sends nothing (udp(7)).
package struct ConnectedProbe: ~Copyable {
    private let socket: OwnedDescriptor

    /// Opens the socket in a namespace, or without one in that of the calling thread.
    package init(_ family: AddressFamily, in namespace: NamespaceHandle? = nil) throws(Errno) {
        socket = try InternetSocket.open(datagramsOf: family, in: namespace)
    }

    /// Restricts it to one interface.
    package func bind(to interface: Scope) throws(Errno) {
        switch interface {
        case .name(let name): try InternetSocket.bind(socket.rawValue, toDevice: name.description)
        case .index(let index): try socket.setOption(SOL_SOCKET, SO_BINDTOIFINDEX, to: index.rawValue)
        }
    }

    /// Sets the firewall mark. Needs CAP_NET_ADMIN.
    package func setMark(_ mark: UInt32) throws(Errno) { try InternetSocket.setMark(socket, mark) }

    /// Gives it to another user, whom rules then see (sockfs_setattr in net/socket.c). Needs CAP_CHOWN.
    package func setOwner(_ userID: UInt32) throws(Errno) {
        _ = try socket.call(.setOption) { fchown($0, userID, gid_t.max) }
    }

    /// Sets the source address. Fails with `addressNotAvailable` if it is not an address of this machine.
    package func bind(source: IPAddress) throws(Errno) {
        try InternetSocket.bind(socket.rawValue, to: .init(source, port: 0))
    }

    /// Connects to a destination, and returns the source address of packets to it.
    ///
    /// - Parameter mayBroadcast: without it, a broadcast address is refused with EACCES, as by a prohibiting route.
    package func connect(
        to destination: IPAddress, port: UInt16? = nil, mayBroadcast: Bool = true
    ) throws(Errno) -> IPAddress {
        if mayBroadcast { try? socket.setOption(SOL_SOCKET, SO_BROADCAST, to: 1 as Int32) }
        // 9 is "discard"; nothing is sent.
        try InternetSocket.connect(socket.rawValue, to: .init(destination, port: port ?? 9))
        return try InternetSocket.end(of: socket.rawValue, isPeer: false).address.unscoped
    }
}
