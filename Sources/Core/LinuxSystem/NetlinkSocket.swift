// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A netlink socket that sends and receives datagrams without interpreting them (netlink(7)).
package final class NetlinkSocket: Sendable {
    private let descriptor: OwnedDescriptor
    /// Whether it receives the messages to its groups.
    package let isTold: Bool
    /// The port that the kernel has chosen for a socket that sends requests; 0 for any other.
    package let port: UInt32

    /// Opens a socket in the network namespace of the calling thread, and binds it unless that is refused.
    ///
    /// - Parameters:
    ///   - generic: opens one for generic netlink instead of for routing.
    ///   - groups: a bit for each multicast group to join, in all or in none. The kernel ignores those that it does not have
    ///     (netlink_bind in net/netlink/af_netlink.c).
    ///   - asks: whether it is connected to the kernel, in order to send requests.
    package init(generic: Bool = false, groups: UInt32 = 0, asks: Bool = false) throws(Errno) {
        let opened = try OwnedDescriptor(.socket) {
            socket(
                AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue),
                generic ? NETLINK_GENERIC : NETLINK_ROUTE)
        }
        // The kernel binds a socket that may not bind itself when it connects or sends.
        let isBound = try Self.bind(opened, groups)
        if !isBound, groups != 0 { _ = try Self.bind(opened, 0) }
        isTold = isBound || groups == 0
        port = try asks ? Self.connectToKernel(opened) : 0
        descriptor = opened
    }

    /// Returns false if that is refused.
    private static func bind(_ descriptor: borrowing OwnedDescriptor, _ groups: UInt32) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try descriptor.call(.bind) { clinux_bind_netlink($0, groups) }
            return true
        } catch {
            guard error.isRefusal else { throw error }
            return false
        }
    }

    /// Connects to the kernel, which then rejects what other sockets send to this one (netlink_getsockbyportid in
    /// net/netlink/af_netlink.c). Messages that root sends to a group still arrive.
    ///
    /// - Returns: the port of this socket.
    private static func connectToKernel(_ descriptor: borrowing OwnedDescriptor) throws(Errno) -> UInt32 {
        // Omits the copy of the request from error answers (netlink(7)). Where there is no such option, they are merely longer.
        try? descriptor.setOption(SOL_NETLINK, NETLINK_CAP_ACK, to: 1 as Int32)
        _ = try descriptor.call(.connect) { clinux_connect_netlink($0) }
        // Drops earlier messages.
        var scrap: UInt64 = 0
        while unsafe recv(descriptor.rawValue, &scrap, 8, Int32(MSG_DONTWAIT)) >= 0 || errno == ENOBUFS {}
        var address = clinux_sockaddr_nl()
        var length = socklen_t(MemoryLayout<clinux_sockaddr_nl>.size)
        _ = try descriptor.call(.getOption) { descriptor in
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe getsockname(
                    descriptor, UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), &length)
            }
        }
        return address.nl_pid
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Sets the size of the receive queue. The kernel doubles it and applies its own limits.
    package func setReceiveBuffer(bytes: Int32) throws(Errno) {
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, to: bytes)
    }

    /// Attaches a classic BPF program. Replaces an earlier one in a single step (SO_ATTACH_FILTER, socket(7)).
    package func attachFilter(_ program: [FilterInstruction]) throws(Errno) {
        var instructions = program.map { step in
            clinux_sock_filter(code: step.code, jt: step.jumpTrue, jf: step.jumpFalse, k: step.operand)
        }
        try unsafe instructions.withUnsafeMutableBufferPointer { (buffer) throws(Errno) in
            let program = unsafe clinux_sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
            try unsafe descriptor.setOption(SOL_SOCKET, SO_ATTACH_FILTER, to: program)
        }
    }

    /// Removes the filter, if there is one (SO_DETACH_FILTER, socket(7)).
    package func detachFilter() throws(Errno) {
        do throws(Errno) {
            try descriptor.setOption(SOL_SOCKET, SO_DETACH_FILTER, to: 0 as Int32)
        } catch {
            // There was none (sk_detach_filter in net/core/filter.c).
            if error != .noSuchFile { throw error }
        }
    }

    /// Sends one datagram to the kernel.
    package func send(_ bytes: RawSpan) throws(Errno) {
        _ = try descriptor.call(.send) { descriptor in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe clinux_send_netlink(descriptor, buffer.baseAddress, buffer.count)
            }
        }
    }

    /// The largest number of datagrams that one call receives. A slot of a requester's buffer then has one kilobyte. An answer about a
    /// route takes a quarter of that, unless it has many next hops.
    package static var maximumSlots: Int { Int(CLINUX_MOST_SLOTS) }

    /// Receives the datagrams that are queued, at most `slots`, each into its part of the evenly divided buffer. Throws
    /// `wouldBlock` if the queue is empty.
    ///
    /// - Parameter lengths: receives the full lengths. A length above the size of a slot means that the datagram was cut off.
    /// - Returns: the number of datagrams.
    package func receiveFromKernel(
        into buffer: UnsafeMutableRawBufferPointer, slots: Int, lengths: UnsafeMutablePointer<UInt32>
    ) throws(Errno) -> Int {
        // For two datagrams, two calls of recv(2) cost less than one of recvmmsg(2).
        guard slots > 2 else {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC)
            let length = try descriptor.call(.receive) {
                unsafe recv($0, buffer.baseAddress, buffer.count / slots, flags)
            }
            unsafe lengths.pointee = UInt32(length)
            return 1
        }
        return try descriptor.call(.receive) {
            unsafe clinux_receive_several($0, buffer.baseAddress, buffer.count / slots, UInt32(slots), lengths)
        }
    }

    /// Receives one datagram. Throws `wouldBlock` if the queue is empty.
    ///
    /// - Returns: the full length of the datagram, and the netlink port of the sender, 0 for the kernel. A length above that of
    ///   the buffer means that the datagram was cut off.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> (length: Int, sender: UInt32) {
        var sender: UInt32 = 0
        let length = try descriptor.call(.receive) {
            unsafe clinux_receive_netlink($0, buffer.baseAddress, buffer.count, &sender)
        }
        return (length, sender)
    }
}

/// One instruction of a classic BPF program (linux/filter.h).
package struct FilterInstruction: Hashable, Sendable {
    package let code: UInt16
    package let jumpTrue: UInt8
    package let jumpFalse: UInt8
    package let operand: UInt32

    package init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, operand: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.operand = operand
    }
}
