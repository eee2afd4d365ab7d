// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// The calls on a stream socket of this machine's own (unix(7)). Bytes are read and written as with `StreamSocket`.
package enum UnixSocket {
    /// What a socket is bound to.
    package enum Name: Hashable, Sendable {
        /// A path in the file system, which any network namespace may see.
        case path([UInt8])
        /// A name without a file, known in one network namespace only. Without its leading zero.
        case abstract([UInt8])
    }

    /// More bytes than these have no room in an address, beside the zero that belongs to each.
    package static let longestName = Int(CLINUX_UNIX_NAME) - 1

    /// Opens a non-blocking, close-on-exec socket in the calling thread's namespace.
    package static func open() throws(Errno) -> OwnedDescriptor {
        try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_STREAM.rawValue), protocol: 0)
    }

    /// Connects at once or not at all: where the listener's queue is full, that is EAGAIN and nothing to wait for.
    package static func connect(_ descriptor: borrowing OwnedDescriptor, to name: Name) throws(Errno) {
        let rawValue = descriptor.rawValue
        let (bytes, isAbstract): ([UInt8], Int32) =
            switch name {
            case .path(let bytes): (bytes, 0)
            case .abstract(let bytes): (bytes, 1)
            }
        _ = try valueOrErrno(.connect) { unsafe clinux_connect_unix(rawValue, bytes, bytes.count, isAbstract) }
    }

    /// What the peer was bound to when one connected to it; nil where it has no name.
    package static func peerName(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> Name? {
        let rawValue = descriptor.rawValue
        var bytes = [UInt8](repeating: 0, count: Int(CLINUX_UNIX_NAME))
        let count = try valueOrErrno(.getOption) { unsafe clinux_unix_peer(rawValue, &bytes) }
        guard count > 0 else { return nil }
        let name = bytes[..<Int(count)]
        return name.first == 0 ? .abstract(Array(name.dropFirst())) : .path(Array(name.prefix { $0 != 0 }))
    }
}
