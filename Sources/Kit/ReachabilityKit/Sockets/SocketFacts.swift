// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The addresses and options of a connected TCP or UDP socket of the program. The program keeps the descriptor, so everything is
/// read by calls that change nothing. SO_ERROR is never read: reading it would take the error away from the owner of the socket
/// (socket(7)).
package struct SocketFacts: Hashable, Sendable {
    package let local: InternetSocket.End
    package let remote: InternetSocket.End
    /// The index of the interface that the socket is bound to (SO_BINDTOIFINDEX); 0 for none.
    package let interface: UInt32
    /// SO_MARK; 0 for none.
    package let mark: UInt32
    /// The user that policy rules see.
    package let owner: UInt32
    package let isTCP: Bool
    private let identity: UInt64

    /// Why a ``SocketFate`` cannot be made of a descriptor.
    package enum Problem: Error, Hashable {
        case notOpen
        /// The descriptor is something else, which this names in a few words.
        case unsuitable(String)
        case listening
        case notConnected
        case system(Errno)
    }

    package init(of descriptor: Int32) throws(Problem) {
        let status = try Self.read { () throws(Errno) in try Self.status(of: descriptor) }
        if let kind = Self.kind(status.st_mode) { throw .unsuitable(kind) }
        owner = status.st_uid
        identity = try Self.read { () throws(Errno) in try Self.identity(of: descriptor) }
        func option(_ name: Int32) throws(Problem) -> Int32 {
            try Self.read { () throws(Errno) in try InternetSocket.option(name, of: descriptor) }
        }
        if let kind = Self.kind(family: try option(SO_DOMAIN)) { throw .unsuitable(kind) }
        let transport = try option(SO_PROTOCOL)
        guard [Int32(IPPROTO_TCP), Int32(IPPROTO_UDP)].contains(transport) else {
            throw .unsuitable("a socket of protocol \(transport), which is neither TCP nor UDP")
        }
        isTCP = transport == Int32(IPPROTO_TCP)
        if try option(SO_ACCEPTCONN) != 0 { throw .listening }
        remote = try Self.read { () throws(Errno) in try InternetSocket.end(of: descriptor, isPeer: true) }
        local = try Self.read { () throws(Errno) in try InternetSocket.end(of: descriptor, isPeer: false) }
        (mark, interface) = try Self.read { () throws(Errno) in try Self.routingKeys(of: descriptor) }
        // Another thread may have closed the descriptor in the meantime, and opened another file under the same number.
        guard try Self.read({ () throws(Errno) in try Self.identity(of: descriptor) }) == identity else {
            throw .notOpen
        }
    }

    /// Zeros where these options do not exist, as in gVisor.
    private static func routingKeys(of descriptor: Int32) throws(Errno) -> (mark: UInt32, interface: UInt32) {
        do throws(Errno) {
            return try InternetSocket.routingKeys(of: descriptor)
        } catch {
            guard error == .noSuchOption || error == .notSupported else { throw error }
            return (0, 0)
        }
    }

    private static func read<Value>(_ body: () throws(Errno) -> Value) throws(Problem) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            switch error {
            case .badDescriptor: throw .notOpen
            case .notConnected: throw .notConnected
            default: throw .system(error)
            }
        }
    }

    private static func status(of descriptor: Int32) throws(Errno) -> stat {
        var status = stat()
        _ = try valueOrErrno(.getOption) { unsafe fstat(descriptor, &status) }
        return status
    }

    /// The state of the socket itself.
    package enum Condition: Hashable, Sendable {
        case open
        /// Both directions have ended.
        case ended
        /// The peer has reset the connection, or the kernel has given it up.
        case failed
        /// The descriptor is closed, or belongs to another socket.
        case gone
    }

    /// The present condition. The identity is read before and after, so the answer is never about another socket.
    package func condition(of descriptor: Int32) throws(Errno) -> Condition {
        guard try hasSocket(descriptor) else { return .gone }
        var question = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = try valueOrErrno(.receive) { unsafe poll(&question, 1, 0) }
        let state: UInt8? =
            isTCP ? try? InternetSocket.option(TCP_INFO, level: Int32(IPPROTO_TCP), of: descriptor) : nil
        return try hasSocket(descriptor) ? Self.condition(events: Int32(question.revents), tcpState: state) : .gone
    }

    /// Whether the descriptor still belongs to this socket.
    private func hasSocket(_ descriptor: Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            return try Self.identity(of: descriptor) == identity
        } catch {
            if error.isShortage { throw error }
            return false
        }
    }

    /// POLLERR alone says little: it also stands for a time stamp or an ICMP message in the error queue (MSG_ERRQUEUE in
    /// recv(2)), and a UDP socket that was refused once can still be used.
    ///
    /// - Parameter tcpState: the first byte of struct tcp_info, as in net/tcp_states.h of the kernel; nil for UDP.
    package static func condition(events: Int32, tcpState: UInt8?) -> Condition {
        if events & POLLNVAL != 0 { return .gone }
        if tcpState == 7 { return events & POLLERR != 0 ? .failed : .ended }  // TCP_CLOSE
        return events & POLLHUP != 0 ? .ended : .open
    }

    /// A number that no other socket has (SO_COOKIE); where that does not exist, as in gVisor, the number of the inode.
    private static func identity(of descriptor: Int32) throws(Errno) -> UInt64 {
        do throws(Errno) {
            return try InternetSocket.option(SO_COOKIE, of: descriptor)
        } catch {
            guard error == .noSuchOption || error == .notSupported else { throw error }
            return UInt64(try status(of: descriptor).st_ino)
        }
    }

    /// The kind of file, if it is not a socket.
    private static func kind(_ mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFSOCK: nil
        case S_IFREG: "a file"
        case S_IFDIR: "a folder"
        case S_IFIFO: "a pipe"
        case S_IFCHR, S_IFBLK: "a device"
        default: "no socket"
        }
    }

    /// The kind of socket, if it is neither IPv4 nor IPv6.
    private static func kind(family: Int32) -> String? {
        switch family {
        case AF_INET, AF_INET6: nil
        case AF_UNIX: "a Unix socket"
        case AF_NETLINK: "a netlink socket"
        case AF_VSOCK: "a vsock socket"
        default: "a socket of address family \(family)"
        }
    }
}
