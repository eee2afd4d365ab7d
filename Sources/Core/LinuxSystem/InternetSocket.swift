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
