// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import NetworkFacts

@_implementationOnly import CAres

/// The sockets of one c-ares channel. They are made with the options of the environment.
///
/// All of them are in one epoll instance, so that a thread can wait for them, or an event loop can watch them.
@safe final class AresSockets {
    struct Ready {
        let descriptor: Int32
        let isReadable: Bool
        let isWritable: Bool
        fileprivate let token: UInt64
    }

    /// "No socket" (ARES_SOCKET_BAD).
    static let none: Int32 = -1

    private let environment: ResolverEnvironment
    private let scopes: [[UInt8]: UInt32]
    private let epoll: Epoll
    /// The token of each watched socket. Its upper half is unique: c-ares may close a socket whose event is still to
    /// come, and open another with the same descriptor.
    private var tokens: [Int32: UInt64] = [:]
    private var registrations: UInt32 = 0
    private var datagramSockets: Set<Int32> = []
    /// The error of a datagram socket, until c-ares has read it and closed the socket.
    private var failures: [Int32: Errno] = [:]
    /// Why the last socket could not be made, if descriptors or memory were lacking.
    private(set) var shortage: Errno?

    init(_ environment: ResolverEnvironment, servers: [ServerAddress]) throws(Errno) {
        epoll = try Epoll()
        self.environment = environment
        var scopes: [[UInt8]: UInt32] = [:]
        for server in servers { scopes[server.address.bytes] = server.address.scope?.rawValue }
        self.scopes = scopes
    }

    var rawDescriptor: Int32 { epoll.rawDescriptor }

    func wait(milliseconds: CInt) -> [Ready] {
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

    /// False if the socket has been closed since.
    func isCurrent(_ ready: Ready) -> Bool { tokens[ready.descriptor] == ready.token }

    /// Sets what a socket is watched for (ares_init_options(3), ARES_OPT_SOCK_STATE_CB). It is called before a socket
    /// is closed.
    fileprivate func update(_ descriptor: Int32, reads: Bool, writes: Bool) {
        var interest: Epoll.Interest = []
        if reads { interest.insert(.readable) }
        if writes { interest.insert(.writable) }
        if interest.isEmpty {
            if tokens.removeValue(forKey: descriptor) != nil { try? epoll.remove(descriptor) }
        } else if let token = tokens[descriptor] {
            try? epoll.modify(descriptor, interest, token: token)
        } else {
            registrations &+= 1
            let token = UInt64(registrations) << 32 | UInt64(UInt32(bitPattern: descriptor))
            tokens[descriptor] = token
            // If this fails, the attempt times out.
            try? epoll.add(descriptor, interest, token: token)
        }
    }

    // MARK: Sockets

    fileprivate func open(_ family: Int32, _ type: Int32, _ number: Int32) throws(Errno) -> Int32 {
        let environment = environment
        let descriptor: Int32
        do throws(Errno) {
            if let namespace = environment.namespace {
                descriptor = try namespace.makeSocket { () throws(Errno) -> Int32 in
                    try Self.open(family, type, number, environment)
                }
            } else {
                descriptor = try Self.open(family, type, number, environment)
            }
        } catch {
            if error.isShortage { shortage = error }
            throw error
        }
        shortage = nil
        if type == Int32(SOCK_DGRAM.rawValue) { datagramSockets.insert(descriptor) }
        return descriptor
    }

    fileprivate func close(_ descriptor: Int32) {
        datagramSockets.remove(descriptor)
        failures[descriptor] = nil
        InternetSocket.close(descriptor)
    }

    private static func open(
        _ family: Int32, _ type: Int32, _ number: Int32, _ environment: ResolverEnvironment
    ) throws(Errno) -> Int32 {
        let socket = try InternetSocket.open(family: family, type: type, protocol: number)
        if let mark = environment.mark { try InternetSocket.setMark(socket, mark) }
        return socket.release()
    }

    /// Connects a socket to a server, with the environment's device and source. A server on this machine, such as the
    /// stub on 127.0.0.53, is behind no device, and can be reached from no source but another loopback address.
    fileprivate func connect(
        _ descriptor: Int32, to address: UnsafePointer<sockaddr>, _ length: UInt32
    ) throws(Errno) {
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(length))
        let server = unsafe IPAddress(socketAddress: RawSpan(_unsafeBytes: bytes))
        let isLocal = server?.unmapped.isLoopback == true
        if let device = environment.device, !isLocal { try InternetSocket.bind(descriptor, toDevice: device) }
        if let source = environment.source, !isLocal || source.unmapped.isLoopback {
            guard server?.family == source.family else { throw .addressFamilyNotSupported }
            try InternetSocket.bind(descriptor, source: source.bytes, scope: source.scope?.rawValue ?? 0)
        }
        let scope = unsafe scope(of: address, length)
        try unsafe InternetSocket.connect(descriptor, to: address, length: length, scope: scope)
    }

    /// Sends a datagram, or a part of a stream.
    ///
    /// Sending a datagram also fails if an earlier one was refused: the next call on the socket, whichever it is,
    /// returns the ICMP error (ip(7)). c-ares takes it for a failure of the new question alone, and the earlier
    /// questions would wait until their timeout. So the error is kept for the next receive. c-ares then closes the
    /// socket and sends all its questions to another server, or once more. Shutting the socket down makes it readable.
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

    /// The scope of a server's address, which c-ares 1.18 has no room for.
    private func scope(of address: UnsafePointer<sockaddr>, _ length: UInt32) -> UInt32 {
        guard !scopes.isEmpty, unsafe Int32(address.pointee.sa_family) == AF_INET6 else { return 0 }
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(length))
        // The address follows family, port and flow information (struct sockaddr_in6, ipv6(7)).
        guard bytes.count >= 24 else { return 0 }
        return unsafe scopes[Array(bytes[8..<24])] ?? 0
    }

    // MARK: Callbacks of c-ares

    private static func from(_ data: UnsafeMutableRawPointer?) -> AresSockets {
        unsafe Unmanaged<AresSockets>.fromOpaque(data!).takeUnretainedValue()
    }

    private var opaque: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    func setStateCallback(in options: inout ares_options) {
        unsafe options.sock_state_cb_data = opaque
        unsafe options.sock_state_cb = { data, descriptor, reads, writes in
            unsafe AresSockets.from(data).update(descriptor, reads: reads != 0, writes: writes != 0)
        }
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
        aconnect: { descriptor, address, length, data in
            returning { () throws(Errno) in
                try unsafe AresSockets.from(data).connect(descriptor, to: address!, length)
                return 0
            }
        },
        arecvfrom: { descriptor, buffer, capacity, flags, sender, senderLength, data in
            returning { () throws(Errno) in
                if let failure = unsafe AresSockets.from(data).failures[descriptor] { throw failure }
                return try unsafe InternetSocket.receive(
                    descriptor, into: buffer!, capacity: capacity, flags: flags, sender: sender,
                    senderLength: senderLength)
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
