// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Reading and writing of non-blocking sockets (recv(2), send(2)).
package enum StreamSocket {
    /// Receives at most `limit` bytes. Returns none at the end of the stream.
    package static func read(
        _ descriptor: borrowing OwnedDescriptor, upTo limit: Int
    ) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try descriptor.call(.receive) { unsafe recv($0, &bytes, limit, 0) }
        return Array(bytes[..<count])
    }

    /// Sends as many bytes as the kernel takes now, and returns their number. If the peer is gone, fails without a signal.
    package static func write(_ descriptor: borrowing OwnedDescriptor, _ bytes: [UInt8]) throws(Errno) -> Int {
        try descriptor.call(.send) { unsafe send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
}
