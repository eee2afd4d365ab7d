// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// A TCP socket on an event loop.
final class SystemStream: ConnectionStream {
    private final class Socket {
        let descriptor: OwnedDescriptor
        init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
    }

    /// Nil after it was closed.
    private var socket: Socket?
    private let loop: EventLoop
    let remoteEnd: InternetSocket.End

    init(_ descriptor: consuming OwnedDescriptor, to remoteEnd: InternetSocket.End, on loop: EventLoop) {
        socket = Socket(descriptor)
        self.remoteEnd = remoteEnd
        self.loop = loop
    }

    deinit {
        close(isReset: true)
    }

    /// Returns true if the connection is already established.
    func connect() throws(Errno) -> Bool {
        try TCPSocket.connect(open().descriptor, to: remoteEnd)
    }

    var localEnd: InternetSocket.End {
        let unknown = InternetSocket.End(Prefix.all(remoteEnd.address.family).base, port: 0)
        guard let socket else { return unknown }
        return (try? InternetSocket.end(of: socket.descriptor.rawValue, isPeer: false)) ?? unknown
    }

    /// The fate of the connection; nil if it is over already.
    func fate(in namespace: NamespaceContext) -> SocketFate? {
        socket.flatMap { try? SocketFate(of: $0.descriptor.rawValue, in: namespace) }
    }

    func watch(_ events: Epoll.Interest?, _ report: @escaping (Epoll.Interest) -> Void) throws(Errno) {
        let socket = try open()
        guard let events else { return loop.unwatch(socket.descriptor.rawValue) }
        try loop.watch(socket.descriptor.rawValue, for: events, report)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try unsafe TCPSocket.read(open().descriptor, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try unsafe TCPSocket.write(open().descriptor, bytes)
    }

    func closeWriting() throws(Errno) {
        try TCPSocket.closeWriting(open().descriptor)
    }

    func takeError() -> Errno? {
        do throws(Errno) {
            return try TCPSocket.takeError(open().descriptor)
        } catch {
            return error
        }
    }

    func close(isReset: Bool) {
        guard let socket else { return }
        self.socket = nil
        loop.unwatch(socket.descriptor.rawValue)
        if isReset { try? TCPSocket.resetOnClose(socket.descriptor) }
    }

    private func open() throws(Errno) -> Socket {
        guard let socket else { throw .notConnected }
        return socket
    }
}
