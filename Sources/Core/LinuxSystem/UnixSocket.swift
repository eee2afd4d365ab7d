// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// System calls for Unix sockets (unix(7)). `StreamSocket` reads and writes them.
package enum UnixSocket {
    /// The address of a socket.
    package enum Name: Hashable, Sendable {
        /// A path in the file system, which is visible from every network namespace.
        case path([UInt8])
        /// A name without a file, visible in one network namespace only. Does not include the leading zero.
        case abstract([UInt8])
    }

    /// The largest number of bytes in a name, without the zero byte that every name has.
    package static let longestName = Int(CLINUX_UNIX_NAME) - 1

    /// Opens a non-blocking, close-on-exec socket in the calling thread's namespace.
    package static func open() throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_STREAM.rawValue), protocol: 0)
    }

    /// Connects at once or fails. If the listener's queue is full, the error is EAGAIN, and no event will follow.
    package static func connect(_ descriptor: borrowing OwnedDescriptor, to name: Name) throws(Errno) {
        let (bytes, isAbstract): ([UInt8], Int32) =
            switch name {
            case .path(let bytes): (bytes, 0)
            case .abstract(let bytes): (bytes, 1)
            }
        _ = try descriptor.call(.connect) { unsafe clinux_connect_unix($0, bytes, bytes.count, isAbstract) }
    }

    /// The address of the peer; nil if it has none.
    package static func peerName(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> Name? {
        var bytes = [UInt8](repeating: 0, count: Int(CLINUX_UNIX_NAME))
        let count = try descriptor.call(.getOption) { unsafe clinux_unix_peer($0, &bytes) }
        guard count > 0 else { return nil }
        let name = bytes[..<Int(count)]
        return name.first == 0 ? .abstract(Array(name.dropFirst())) : .path(Array(name.prefix { $0 != 0 }))
    }

    /// Whether a socket of the calling thread's network namespace listens at a path. False if the kernel does not say
    /// (CONFIG_UNIX_DIAG). /proc/net/unix cannot be used for this, because a name may contain line feeds, and so look like
    /// another entry.
    package static func hasListener(at path: [UInt8]) -> Bool {
        let diagnosis = try? InternetSocket.open(
            family: AF_NETLINK, type: Int32(SOCK_RAW.rawValue), protocol: NETLINK_SOCK_DIAG)
        guard let diagnosis else { return false }
        return unsafe clinux_unix_listens(diagnosis.rawValue, path, path.count) == 1
    }
}
