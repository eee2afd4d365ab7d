// SPDX-License-Identifier: Apache-2.0

import LinuxLibc

@_implementationOnly import CLinux

/// Connects UDP sockets to learn about routes: connect(2) looks up a route and sends nothing (udp(7)).
package enum ConnectedProbe {
    /// The source address of packets to a destination.
    ///
    /// - Parameters:
    ///   - destination: four or sixteen bytes in network order.
    ///   - source: the address to send from, of the same length; nil for the kernel's choice.
    ///   - scope: the interface of a link-local IPv6 destination, or 0.
    /// - Returns: the bytes of the source address.
    package static func source(
        towards destination: [UInt8], from source: [UInt8]?, scope: UInt32, device: String?
    ) throws(Errno) -> [UInt8] {
        let family = destination.count == 4 ? AF_INET : AF_INET6
        let socket = try InternetSocket.open(family: family, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
        if let device { try InternetSocket.bind(socket.rawValue, toDevice: device) }
        if let source { try InternetSocket.bind(socket.rawValue, source: source, scope: scope) }
        var found = [UInt8](repeating: 0, count: destination.count)
        let rawValue = socket.rawValue
        _ = try valueOrErrno(.connect) {
            unsafe clinux_probe_internet(rawValue, destination, destination.count, scope, &found)
        }
        return found
    }

    /// Whether an address of four or sixteen bytes is an address of this machine: whether a socket can be bound to it.
    package static func isOwn(_ address: [UInt8], scope: UInt32) throws(Errno) -> Bool {
        let family = address.count == 4 ? AF_INET : AF_INET6
        let socket = try InternetSocket.open(family: family, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
        do throws(Errno) {
            try InternetSocket.bind(socket.rawValue, source: address, scope: scope)
            return true
        } catch {
            if error == .addressNotAvailable || error == .invalidArgument || error == .noSuchDevice { return false }
            throw error
        }
    }
}
