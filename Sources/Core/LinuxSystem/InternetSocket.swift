// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// System calls for IPv4 and IPv6 sockets (socket(7), ip(7), ipv6(7)).
///
/// They take plain descriptors and pointers, because c-ares passes these.
package enum InternetSocket {
    /// Opens a non-blocking, close-on-exec socket in the network namespace of the calling thread.
    package static func open(family: Int32, type: Int32, protocol: Int32) throws(Errno) -> OwnedDescriptor {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return try OwnedDescriptor(.socket) { socket(family, type | flags, `protocol`) }
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
        var value = mark
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) { unsafe setsockopt(rawValue, SOL_SOCKET, SO_MARK, &value, 4) }
    }

    /// Sets the source address of a socket: four or sixteen bytes in network order.
    package static func bind(_ rawDescriptor: Int32, source: [UInt8], scope: UInt32) throws(Errno) {
        precondition(source.count == 4 || source.count == 16)
        _ = try valueOrErrno(.bind) { unsafe clinux_bind_internet(rawDescriptor, source, source.count, scope) }
    }

    /// Connects to a `sockaddr` of `length` bytes. A scope other than 0 replaces that of an IPv6 address.
    @unsafe package static func connect(
        _ rawDescriptor: Int32, to address: UnsafeRawPointer, length: UInt32, scope: UInt32
    ) throws(Errno) {
        _ = try valueOrErrno(.connect) { unsafe clinux_connect_internet(rawDescriptor, address, length, scope) }
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
    /// Opens a UDP socket of a family (AF_INET or AF_INET6).
    package static func open(datagramsOf family: UInt8) throws(Errno) -> OwnedDescriptor {
        try open(family: Int32(family), type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
    }

    /// The mark of a socket and the index of the interface it is bound to; 0 for none (SO_MARK, SO_BINDTOIFINDEX).
    package static func routingKeys(
        of socket: borrowing OwnedDescriptor
    ) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        try routingKeys(of: socket.rawValue)
    }

    static func routingKeys(of rawDescriptor: Int32) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        (try option(SO_MARK, of: rawDescriptor), try option(SO_BINDTOIFINDEX, of: rawDescriptor))
    }

    /// The value of an option that is a number (getsockopt(2)).
    static func option<Value: FixedWidthInteger>(
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
        let open: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
            try InternetSocket.open(datagramsOf: UInt8(family == .v4 ? AF_INET : AF_INET6)).release()
        }
        let rawDescriptor = if let namespace { try namespace.makeSocket(open) } else { try open() }
        socket = OwnedDescriptor(owning: rawDescriptor)
    }

    /// Restricts it to one interface.
    package func bind(to interface: Scope) throws(Errno) {
        switch interface {
        case .name(let name): try InternetSocket.bind(socket.rawValue, toDevice: name.description)
        case .index(let index):
            var number = Int32(bitPattern: index.rawValue)
            let rawValue = socket.rawValue
            _ = try valueOrErrno(.setOption) { unsafe setsockopt(rawValue, SOL_SOCKET, SO_BINDTOIFINDEX, &number, 4) }
        }
    }

    /// Sets the firewall mark. Needs CAP_NET_ADMIN.
    package func setMark(_ mark: UInt32) throws(Errno) { try InternetSocket.setMark(socket, mark) }

    /// Gives it to another user, whom rules then see (sockfs_setattr in net/socket.c). Needs CAP_CHOWN.
    package func setOwner(_ userID: UInt32) throws(Errno) {
        let rawValue = socket.rawValue
        _ = try valueOrErrno(.setOption) { fchown(rawValue, userID, gid_t.max) }
    }

    /// Sets the source address. Fails with `addressNotAvailable` if it is not an address of this machine.
    package func bind(source: IPAddress) throws(Errno) {
        try InternetSocket.bind(socket.rawValue, source: source.bytes, scope: source.scope?.presentIndex?.rawValue ?? 0)
    }

    /// Connects to a destination, and returns the source address of packets to it.
    ///
    /// - Parameter scope: the interface of a link-local destination, or 0.
    package func connect(to destination: IPAddress, scope: UInt32, port: UInt16? = nil) throws(Errno) -> IPAddress {
        let bytes = destination.bytes
        var found = [UInt8](repeating: 0, count: bytes.count)
        let rawValue = socket.rawValue
        // 9 is "discard"; nothing is sent.
        _ = try valueOrErrno(.connect) {
            unsafe clinux_probe_internet(rawValue, bytes, bytes.count, port ?? 9, scope, &found)
        }
        return IPAddress(bytes: found)
    }
}
