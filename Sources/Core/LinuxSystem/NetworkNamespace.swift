// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CReachabilityLinux

/// Identifies a network namespace.
package enum NamespaceIdentity: Hashable, Sendable {
    /// Its file in nsfs (namespaces(7)).
    case file(device: UInt64, inode: UInt64)
    /// A number that its sockets report and that no other namespace ever has (SO_NETNS_COOKIE, Linux 5.14).
    case cookie(UInt64)
    /// The kernel has only one namespace. (gVisor gives its file another number each time.)
    case only

    /// The file of the calling thread's namespace. It may differ from the process's, as setns(2) moves one thread.
    package static let currentPath = "/proc/thread-self/ns/net"

    /// The namespace of the calling thread: by its file, or by a socket if there is no /proc. Nil if neither works.
    package static func current() -> NamespaceIdentity? { filesAreNumbered ? currentFile ?? currentCookie : .only }

    private static let filesAreNumbered = currentFile == currentFile

    /// Whether the calling thread is in this namespace now.
    package var isCurrent: Bool {
        switch self {
        case .file: Self.currentFile == self
        case .cookie: Self.currentCookie == self
        case .only: true
        }
    }

    /// Whether both the calling thread and the process are in this namespace: a thread inherits the namespace of the thread that
    /// started it.
    package var isThatOfProcess: Bool {
        guard isCurrent, case .file = self, let process = try? Files.identity(of: "/proc/self/ns/net") else {
            return isCurrent
        }
        return NamespaceIdentity(process) == self
    }

    private static var currentFile: NamespaceIdentity? {
        (try? Files.identity(of: currentPath)).map(Self.init)
    }

    private static var currentCookie: NamespaceIdentity? {
        // A sandbox is least likely to forbid this family.
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        do throws(Errno) {
            let descriptor = try OwnedDescriptor(.socket) { socket(AF_UNIX, type, 0) }
            let number = cookie(of: descriptor.rawValue)
            return number == 0 ? nil : .cookie(number)
        } catch {
            return nil
        }
    }

    fileprivate init(_ file: FileIdentity) { self = .file(device: file.device, inode: file.inode) }

    /// The number of a socket's namespace; 0 if the kernel does not report one.
    fileprivate static func cookie(of socket: Int32) -> UInt64 {
        var number: UInt64 = 0
        var length = socklen_t(8)
        return unsafe getsockopt(socket, SOL_SOCKET, Int32(SO_NETNS_COOKIE), &number, &length) == 0 ? number : 0
    }
}

/// An open network namespace.
package final class NamespaceHandle: Sendable {
    package let identity: NamespaceIdentity
    private let descriptor: OwnedDescriptor
    /// The number that sockets made here report; 0 until one has been made.
    private let cookie = Atomic<UInt64>(0)

    /// Opens a namespace file, such as /run/netns/blue or /proc/123/ns/net.
    package convenience init(path: String) throws(Errno) {
        try self.init(Files.open(path))
    }

    /// Duplicates a descriptor, which stays the caller's.
    package convenience init(duplicating rawDescriptor: Int32) throws(Errno) {
        try self.init(OwnedDescriptor(.open) { clinux_duplicate(rawDescriptor) })
    }

    /// Fails with `notAFile` for anything but a network namespace.
    private init(_ descriptor: consuming OwnedDescriptor) throws(Errno) {
        guard try descriptor.call(.stat, { clinux_is_network_namespace($0) }) == 1 else { throw .notAFile }
        identity = NamespaceIdentity(try Files.identity(of: descriptor))
        self.descriptor = descriptor
    }

    /// Moves the calling thread into this namespace permanently. Needs CAP_SYS_ADMIN over it.
    package func enter() throws(Errno) {
        _ = try descriptor.call(.open) { clinux_enter_network_namespace($0) }
    }

    /// Runs `body` in this namespace: on the calling thread if it is there already, otherwise on a new thread that
    /// enters the namespace.
    package func run<Value>(_ body: @escaping @Sendable () throws(Errno) -> Value) throws(Errno) -> Value {
        if identity.isCurrent { return try body() }
        let outcome = JoinedResult<Result<Value, Errno>>()
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

    /// Makes a socket in this namespace. The socket itself tells whether the calling thread is in the namespace, which costs a
    /// tenth of reading /proc.
    ///
    /// - Parameter open: makes a socket in the calling thread's namespace.
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

/// Passes a value from a thread to the one that joins it. Joining orders the accesses.
private final class JoinedResult<Value>: @unchecked Sendable {
    var value: Value?
}
