// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The sockets of several c-ares channels in one epoll instance, so that a thread can wait for them, or an event loop can
/// watch them.
@safe final class AresPoll {
    struct Ready {
        let descriptor: Int32
        let isReadable: Bool
        let isWritable: Bool
        fileprivate let token: UInt64
    }

    private struct Watched {
        /// The upper half is unique: c-ares may close a socket whose event is still to come, and open another with the
        /// same descriptor.
        let token: UInt64
        let server: Int
    }

    private let epoll: Epoll
    private var sockets: [Int32: Watched] = [:]
    private var registrations: UInt32 = 0

    init() throws(Errno) {
        epoll = try Epoll()
    }

    var rawDescriptor: Int32 { epoll.rawDescriptor }

    func wait(milliseconds: Int32) -> [Ready] {
        var ready: [Ready] = []
        try? epoll.wait(timeoutMilliseconds: milliseconds) { event in
            // An error is found by reading.
            let isWritable = event.interest.contains(.writable)
            ready.append(
                Ready(
                    descriptor: Int32(truncatingIfNeeded: event.token),
                    isReadable: !isWritable || event.interest.contains(.readable), isWritable: isWritable,
                    token: event.token))
        }
        return ready
    }

    /// The position of the server that the socket belongs to. Nil if the socket has been closed since.
    func server(of ready: Ready) -> Int? {
        guard let watched = sockets[ready.descriptor], watched.token == ready.token else { return nil }
        return watched.server
    }

    /// Sets what a socket is watched for. If that is nothing, the socket is about to be closed.
    func update(_ descriptor: Int32, of server: Int, _ interest: Epoll.Interest) {
        if interest.isEmpty {
            if sockets.removeValue(forKey: descriptor) != nil { try? epoll.remove(descriptor) }
        } else if let watched = sockets[descriptor] {
            try? epoll.modify(descriptor, interest, token: watched.token)
        } else {
            registrations &+= 1
            let token = UInt64(registrations) << 32 | UInt64(UInt32(bitPattern: descriptor))
            sockets[descriptor] = Watched(token: token, server: server)
            // If this fails, the attempt times out.
            try? epoll.add(descriptor, interest, token: token)
        }
    }
}
