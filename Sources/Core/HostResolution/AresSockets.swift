// SPDX-License-Identifier: Apache-2.0

#if Names
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

@_implementationOnly import CReachabilityAres

/// The sockets through which one server is asked. They are made with the options of the environment.
@safe final class AresSockets {
    private let environment: ResolverEnvironment
    private let server: ServerAddress
    private let loop: EventLoop
    private var datagramSockets: Set<Int32> = []
    /// The error of a datagram socket, until c-ares has read it and closed the socket.
    private var failures: [Int32: Errno] = [:]
    /// Why the last socket could not be made or watched, if descriptors, memory or a privilege were lacking.
    private(set) var shortage: Errno?
    /// Whether the last that was received is a datagram, so that another may be there.
    var mayHaveMore = false
    /// Called when a socket is ready.
    var isReady: (Int32, Epoll.Interest) -> Void = { _, _ in }

    /// - Parameter position: that of the server.
    init(_ configuration: ResolverConfiguration, _ position: Int, on loop: EventLoop) {
        environment = configuration.environment
        server = configuration.servers[position]
        self.loop = loop
    }

    /// Sets what a socket is watched for (ares_init_options(3), ARES_OPT_SOCK_STATE_CB). It is called before a socket
    /// is closed.
    fileprivate func update(_ descriptor: Int32, reads: Bool, writes: Bool) {
        // A loop that has ended watches nothing.
        guard loop.isCurrent else { return }
        var interest: Epoll.Interest = []
        if reads { interest.insert(.readable) }
        if writes { interest.insert(.writable) }
        if interest.isEmpty { return loop.unwatch(descriptor) }
        do throws(Errno) {
            try loop.watch(descriptor, for: interest) { [weak self] in self?.isReady(descriptor, $0) }
        } catch {
            // No event would come. So c-ares reads now, and finds the error.
            (failures[descriptor], shortage) = (error, error)
            loop.schedule(at: loop.now()) { [weak self] in self?.isReady(descriptor, .readable) }
        }
    }

    // MARK: Sockets

    fileprivate func open(_ family: Int32, _ type: Int32, _ number: Int32) throws(Errno) -> Int32 {
        do throws(Errno) {
            let socket = try InternetSocket.open(
                family: family, type: type, protocol: number, in: environment.namespace)
            if let mark = environment.mark { try InternetSocket.setMark(socket, mark) }
            shortage = nil
            if type == Int32(SOCK_DGRAM.rawValue) { datagramSockets.insert(socket.rawValue) }
            return socket.release()
        } catch {
            // Each socket needs a thread that enters, for which threads or a privilege may be lacking now. So does the mark.
            let isOutside = environment.namespace?.identity.isCurrent == false
            let isUnmarked = environment.mark != nil && error == .notPermitted
            if error.isShortage || isUnmarked || isOutside && error != .addressFamilyNotSupported { shortage = error }
            throw error
        }
    }

    fileprivate func close(_ descriptor: Int32) {
        datagramSockets.remove(descriptor)
        failures[descriptor] = nil
        InternetSocket.close(descriptor)
    }

    /// Connects a socket to a server, with the environment's device and source. A server on this machine, such as the
    /// stub on 127.0.0.53, is behind no device. The source is meant for the target: it is used where it can lead to the
    /// server, which needs the same family, and a loopback address on both sides or on none.
    fileprivate func connect(_ descriptor: Int32) throws(Errno) {
        let address = server.address
        let isLocal = address.unmapped.isLoopback
        if let device = environment.device, !isLocal {
            try InternetSocket.bind(descriptor, toDevice: device.description)
        }
        if let source = environment.source, source.family == address.family, source.unmapped.isLoopback == isLocal {
            let scope = try source.scope.flatMap(environment.index)
            try InternetSocket.bind(descriptor, to: .init(source.scoped(to: scope), port: 0))
        }
        let scope = try address.scope.flatMap(environment.index)
        if address.scope != nil, scope == nil { throw .noSuchDevice }
        try InternetSocket.connect(descriptor, to: .init(address.scoped(to: scope), port: server.port))
    }

    /// Receives a datagram, or a part of a stream. The sender is the server, as the socket is connected.
    private func receive(
        _ descriptor: Int32, into buffer: UnsafeMutableRawPointer, _ capacity: Int, _ flags: Int32,
        _ sender: UnsafeMutablePointer<sockaddr>?, _ senderLength: UnsafeMutablePointer<ares_socklen_t>?
    ) throws(Errno) -> Int {
        mayHaveMore = false
        if let failure = failures[descriptor] { throw failure }
        let count = try unsafe InternetSocket.receive(
            descriptor, into: buffer, capacity: capacity, flags: flags, sender: sender, senderLength: senderLength)
        mayHaveMore = datagramSockets.contains(descriptor)
        // c-ares compares the sender with the address that it was given. In struct sockaddr_in6 that comes after family, port and
        // flow information (ipv6(7)).
        if server.address.scope != nil, let sender = unsafe sender {
            let address = unsafe UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(sender) + 8, count: 16)
            unsafe address.copyBytes(from: nominalAddress.bytes)
        }
        return count
    }

    /// The address that c-ares is given. That of a link-local server is another one, as c-ares 1.18 has no room for its
    /// scope, and 1.34 ignores the server if it cannot find its interface in the calling thread's namespace.
    var nominalAddress: IPAddress {
        guard server.address.scope != nil else { return server.address }
        // Of the range for documentation (RFC 3849). Nothing is sent to it.
        return .v6(IPv6Address(high: 0x2001_0DB8_0000_0000, low: 1))
    }

    /// Sends a datagram, or a part of a stream.
    ///
    /// Sending a datagram also fails if an earlier one was refused: the next call on the socket, whichever it is,
    /// returns the ICMP error (ip(7)). c-ares takes it for a failure of the new question alone, and the earlier
    /// questions would wait until their timeout. So the error is kept for the next receive. c-ares then closes the
    /// socket and gives up all its questions, and each goes to another server, or once more to this one. Shutting the
    /// socket down makes it readable.
    private func send(_ descriptor: Int32, _ vector: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
        do throws(Errno) {
            if failures[descriptor] == nil {
                return try unsafe InternetSocket.send(
                    descriptor, vector: vector.baseAddress!, count: Int32(vector.count))
            }
        } catch {
            guard datagramSockets.contains(descriptor), !error.isPassing else { throw error }
            failures[descriptor] = error
            InternetSocket.shutDown(descriptor)
        }
        return unsafe vector.reduce(0) { unsafe $0 + $1.iov_len }
    }

    // MARK: Callbacks of c-ares

    private static func from(_ data: UnsafeMutableRawPointer?) -> AresSockets {
        unsafe Unmanaged<AresSockets>.fromOpaque(data!).takeUnretainedValue()
    }

    /// What c-ares passes to the functions below.
    var opaque: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static let stateChanged: ares_sock_state_cb = { data, descriptor, reads, writes in
        unsafe AresSockets.from(data).update(descriptor, reads: reads != 0, writes: writes != 0)
    }

    /// Makes the channel use these functions for its sockets. The channel must not outlive this object.
    func install(in handle: OpaquePointer) {
        unsafe ares_set_socket_functions(handle, &Self.functions, opaque)
    }

    /// c-ares keeps a pointer to this.
    private nonisolated(unsafe) static var functions = unsafe ares_socket_functions(
        asocket: { family, type, number, data in
            returning { () throws(Errno) in try unsafe AresSockets.from(data).open(family, type, number) }
        },
        aclose: { descriptor, data in
            unsafe AresSockets.from(data).close(descriptor)
            return 0
        },
        aconnect: { descriptor, _, _, data in
            returning { () throws(Errno) in
                try unsafe AresSockets.from(data).connect(descriptor)
                return 0
            }
        },
        arecvfrom: { descriptor, buffer, capacity, flags, sender, senderLength, data in
            returning { () throws(Errno) in
                try unsafe AresSockets.from(data).receive(
                    descriptor, into: buffer!, capacity, flags, sender, senderLength)
            }
        },
        asendv: { descriptor, vector, count, data in
            returning { () throws(Errno) in
                try unsafe AresSockets.from(data).send(
                    descriptor, UnsafeBufferPointer(start: vector, count: Int(count)))
            }
        })
}

extension Errno {
    /// Whether the failure is temporary and not the server's (send(2)).
    fileprivate var isPassing: Bool { [.wouldBlock, .noBufferSpace, .outOfMemory].contains(self) }
}

/// Reports a failure as C does: returns -1, after setting `errno`.
private func returning<Value: SignedInteger>(_ body: () throws(Errno) -> Value) -> Value {
    do throws(Errno) {
        return try body()
    } catch {
        errno = error.rawValue
        return -1
    }
}
#endif
