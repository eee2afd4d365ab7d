// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

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
