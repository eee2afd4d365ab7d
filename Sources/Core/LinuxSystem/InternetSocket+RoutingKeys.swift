// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

extension InternetSocket {
    /// Opens a UDP socket of a family (AF_INET or AF_INET6).
    package static func open(datagramsOf family: UInt8) throws(Errno) -> OwnedDescriptor {
        try open(family: Int32(family), type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
    }

    /// The mark of a socket and the index of the interface it is bound to; 0 for none (SO_MARK, SO_BINDTOIFINDEX).
    package static func routingKeys(
        of socket: borrowing OwnedDescriptor
    ) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        (try option(SO_MARK, of: socket), try option(SO_BINDTOIFINDEX, of: socket))
    }

    private static func option(_ name: Int32, of socket: borrowing OwnedDescriptor) throws(Errno) -> UInt32 {
        var value: UInt32 = 0
        var length = socklen_t(4)
        let rawValue = socket.rawValue
        _ = try valueOrErrno(.getOption) { unsafe getsockopt(rawValue, SOL_SOCKET, name, &value, &length) }
        return value
    }
}
