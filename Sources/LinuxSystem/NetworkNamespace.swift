// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@_implementationOnly import CLinux

/// Recognises a network namespace.
package enum NamespaceIdentity: Hashable, Sendable {
    /// Its file in nsfs (namespaces(7)).
    case file(device: UInt64, inode: UInt64)
    /// The number that its sockets tell, which no other namespace ever has (SO_NETNS_COOKIE, Linux 5.14).
    case cookie(UInt64)

    /// Where the calling thread's own namespace is found. The thread, not the process: setns(2) moves one thread.
    package static let currentPath = "/proc/thread-self/ns/net"

    /// The namespace of the calling thread: by its file, or by a socket where there is no /proc. Nil where neither tells.
    package static func current() -> NamespaceIdentity? { currentFile ?? currentCookie }

    /// Whether the calling thread is in this namespace now.
    package var isCurrent: Bool {
        switch self {
        case .file: Self.currentFile == self
        case .cookie: Self.currentCookie == self
        }
    }

    private static var currentFile: NamespaceIdentity? {
        guard let file = try? Files.identity(of: currentPath) else { return nil }
        return .file(device: file.device, inode: file.inode)
    }

    private static var currentCookie: NamespaceIdentity? {
        // Of a family that a sandbox is least likely to forbid.
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard let made = try? valueOrErrno(.socket, { socket(AF_UNIX, type, 0) }) else { return nil }
        let descriptor = OwnedDescriptor(owning: made)
        let number = cookie(of: descriptor.rawValue)
        return number == 0 ? nil : .cookie(number)
    }

    fileprivate static func file(of descriptor: borrowing OwnedDescriptor) throws(Errno) -> NamespaceIdentity {
        let file = try Files.identity(of: descriptor)
        return .file(device: file.device, inode: file.inode)
    }

    /// The number of a socket's namespace; 0 where the kernel does not say.
    fileprivate static func cookie(of socket: Int32) -> UInt64 {
        var number: UInt64 = 0
        var length = socklen_t(8)
        return unsafe getsockopt(socket, SOL_SOCKET, Int32(SO_NETNS_COOKIE), &number, &length) == 0 ? number : 0
    }
}

/// An open handle on a network namespace.
package final class NamespaceHandle: Sendable {
    package let identity: NamespaceIdentity
    private let descriptor: OwnedDescriptor
    /// What a socket made here says of its namespace; 0 as long as none has said so.
    private let cookie = Atomic<UInt64>(0)

    /// Opens a namespace file, such as /run/netns/blue or /proc/123/ns/net.
    package init(path: String) throws(Errno) {
        descriptor = try Files.open(path)
        identity = try .file(of: descriptor)
    }

    /// Takes a duplicate of a descriptor that somebody else owns.
    package init(duplicating rawDescriptor: Int32) throws(Errno) {
        descriptor = try OwnedDescriptor(
            owning: valueOrErrno(.open) { clinux_duplicate(rawDescriptor) })
        identity = try .file(of: descriptor)
    }

    /// Moves the calling thread into this namespace for good. Wants CAP_SYS_ADMIN over it.
    package func enter() throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.open) { clinux_enter_network_namespace(rawValue) }
    }

    /// Runs `body` in this namespace: on the calling thread where it is there already, else on a thread of its own
    /// that enters the namespace and ends with the call.
    package func run<Value>(_ body: @escaping @Sendable () throws(Errno) -> Value) throws(Errno) -> Value {
        if identity.isCurrent { return try body() }
        let outcome = Handover<Result<Value, Errno>>()
        let thread = try Thread.start(name: "netns", stackBytes: 256 << 10) {
            outcome.value = Result { () throws(Errno) -> Value in
                try self.enter()
                return try body()
            }
        }
        thread.join()
        guard let result = outcome.value else { throw .invalidArgument }
        return try result.get()
    }

    /// Runs `open` in this namespace, which makes a socket. Where it has landed the socket itself tells, at a tenth of the
    /// price of a look into /proc.
    package func makeSocket(_ open: @escaping @Sendable () throws(Errno) -> Int32) throws(Errno) -> Int32 {
        let here = cookie.load(ordering: .relaxed)
        if here != 0 {
            let socket = try open()
            if NamespaceIdentity.cookie(of: socket) == here { return socket }
            InternetSocket.close(socket)
        }
        let socket = try run(open)
        cookie.store(NamespaceIdentity.cookie(of: socket), ordering: .relaxed)
        return socket
    }
}

/// Carries one value from a thread to the one that joins it; the join orders the accesses.
private final class Handover<Value>: @unchecked Sendable {
    var value: Value?
}
