// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The addresses and options of a connected TCP or UDP socket of the program. The descriptor stays the program's, so all is read
/// by calls that change nothing. SO_ERROR is never read, because that takes the error away from the socket's owner (socket(7)).
package struct SocketFacts: Hashable, Sendable {
    package let local: InternetSocket.End
    package let remote: InternetSocket.End
    /// The index of the interface that it is bound to (SO_BINDTOIFINDEX); 0 for none.
    package let interface: UInt32
    /// SO_MARK; 0 for none.
    package let mark: UInt32
    /// The user whom routing rules see.
    package let owner: UInt32
    package let isTCP: Bool
    private let identity: UInt64

    /// Why a descriptor has no fate.
    package enum Problem: Error, Hashable {
        case notOpen
        /// It is something else, which is named in a few words.
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
        // Another thread may have closed it meanwhile, and opened another.
        guard try Self.read({ () throws(Errno) in try Self.identity(of: descriptor) }) == identity else {
            throw .notOpen
        }
    }

    /// None where there are no such options, as in gVisor.
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

    /// What has become of the socket itself.
    package enum Condition: Hashable, Sendable {
        case open
        /// Both directions have ended.
        case ended
        /// The peer has reset it, or the kernel has given it up.
        case failed
        /// The descriptor is closed, or that of another socket.
        case gone
    }

    /// The present condition. Reads the identity before and after, so it is never that of a stranger.
    package func condition(of descriptor: Int32) throws(Errno) -> Condition {
        guard try hasSocket(descriptor) else { return .gone }
        var question = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = try valueOrErrno(.receive) { unsafe poll(&question, 1, 0) }
        let state: UInt8? =
            isTCP ? try? InternetSocket.option(TCP_INFO, level: Int32(IPPROTO_TCP), of: descriptor) : nil
        return try hasSocket(descriptor) ? Self.condition(events: Int32(question.revents), tcpState: state) : .gone
    }

    /// Whether the descriptor is still that of this socket.
    private func hasSocket(_ descriptor: Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            return try Self.identity(of: descriptor) == identity
        } catch {
            if error.isShortage { throw error }
            return false
        }
    }

    /// POLLERR alone says little: it also means a time stamp or an ICMP message in the error queue (MSG_ERRQUEUE in recv(2)),
    /// and a UDP socket that was refused once goes on.
    ///
    /// - Parameter tcpState: the first byte of struct tcp_info, as in net/tcp_states.h of the kernel; nil for UDP.
    package static func condition(events: Int32, tcpState: UInt8?) -> Condition {
        if events & POLLNVAL != 0 { return .gone }
        if tcpState == 7 { return events & POLLERR != 0 ? .failed : .ended }  // TCP_CLOSE
        return events & POLLHUP != 0 ? .ended : .open
    }

    /// A number that no other socket has (SO_COOKIE); where there is none, as in gVisor, that of its inode.
    private static func identity(of descriptor: Int32) throws(Errno) -> UInt64 {
        do throws(Errno) {
            return try InternetSocket.option(SO_COOKIE, of: descriptor)
        } catch {
            guard error == .noSuchOption || error == .notSupported else { throw error }
            return UInt64(try status(of: descriptor).st_ino)
        }
    }

    /// What a file is, if it is no socket.
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

    /// What a socket is, if it is not one of IPv4 or IPv6.
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
