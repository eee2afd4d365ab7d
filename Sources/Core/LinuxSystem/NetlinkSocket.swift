// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A netlink socket that sends and receives datagrams without reading them (netlink(7)).
package struct NetlinkSocket: ~Copyable, Sendable {
    /// A received datagram.
    package struct Datagram: Sendable {
        /// The full length of the datagram. If it is above that of the buffer, the datagram was cut off.
        package let length: Int
        /// The netlink port of the sender; 0 for the kernel.
        package let sender: UInt32

        package init(length: Int, sender: UInt32) {
            self.length = length
            self.sender = sender
        }
    }

    private let descriptor: OwnedDescriptor
    /// Whether it can receive announcements. The kernel binds a socket that may not bind itself when it connects or sends.
    package let isBound: Bool

    /// Opens a socket in the network namespace of the calling thread, and binds it unless that is refused.
    ///
    /// - Parameter generic: opens one for generic netlink instead of for routing.
    package init(generic: Bool = false) throws(Errno) {
        let opened = try OwnedDescriptor(.socket) {
            socket(
                AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue),
                generic ? NETLINK_GENERIC : NETLINK_ROUTE)
        }
        let rawValue = opened.rawValue
        do throws(Errno) {
            _ = try valueOrErrno(.bind) { clinux_bind_netlink(rawValue) }
            isBound = true
        } catch {
            guard error.isRefusal else { throw error }
            isBound = false
        }
        descriptor = opened
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// The port of this socket, which the kernel has chosen.
    package func port() throws(Errno) -> UInt32 {
        var address = clinux_sockaddr_nl()
        var length = socklen_t(MemoryLayout<clinux_sockaddr_nl>.size)
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.getOption) {
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe getsockname(
                    rawValue, UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), &length)
            }
        }
        return address.nl_pid
    }

    /// Joins a multicast group by its RTNLGRP number.
    package func join(group: UInt32) throws(Errno) {
        try set(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, Int32(bitPattern: group))
    }

    /// Omits the copy of the request from error answers (NETLINK_CAP_ACK, netlink(7)).
    package func useShortErrors() throws(Errno) {
        try set(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    }

    /// Sets the size of the receive queue. The kernel doubles it and applies its own limits.
    package func setReceiveBuffer(bytes: Int32) throws(Errno) {
        try set(SOL_SOCKET, SO_RCVBUF, bytes)
    }

    /// Attaches a classic BPF program. Replaces an earlier one in a single step (SO_ATTACH_FILTER, socket(7)).
    package func attachFilter(_ program: [FilterInstruction]) throws(Errno) {
        var instructions = program.map { step in
            clinux_sock_filter(code: step.code, jt: step.jumpTrue, jf: step.jumpFalse, k: step.operand)
        }
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) {
            unsafe instructions.withUnsafeMutableBufferPointer { buffer in
                var program = unsafe clinux_sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
                return unsafe setsockopt(
                    rawValue, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout<clinux_sock_fprog>.size))
            }
        }
    }

    /// Removes the filter, if there is one (SO_DETACH_FILTER, socket(7)).
    package func detachFilter() throws(Errno) {
        do throws(Errno) {
            try set(SOL_SOCKET, SO_DETACH_FILTER, 0)
        } catch {
            // There was none (sk_detach_filter in net/core/filter.c).
            if error != .noSuchFile { throw error }
        }
    }

    /// Connects to the kernel, which then rejects what other sockets send to this one (netlink_getsockbyportid in
    /// net/netlink/af_netlink.c). Messages that root sends to a group still arrive.
    package func connectToKernel() throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.connect) { clinux_connect_netlink(rawValue) }
        // Drops what came before.
        var scrap: UInt64 = 0
        while unsafe recv(rawValue, &scrap, 8, Int32(MSG_DONTWAIT)) >= 0 || errno == ENOBUFS {}
    }

    /// Sends one datagram to the kernel.
    package func send(_ bytes: RawSpan) throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.send) {
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe LinuxSystem.send(rawValue, buffer.baseAddress, buffer.count, 0)
            }
        }
    }

    /// The largest number of datagrams that one call receives.
    package static var maximumSlots: Int { Int(CLINUX_MOST_SLOTS) }

    /// Receives the datagrams that are queued, at most `slots`, each into its part of the evenly divided buffer. Throws
    /// `wouldBlock` if the queue is empty.
    ///
    /// - Parameter lengths: receives the full lengths. A length above the size of a slot means that the datagram was cut off.
    /// - Returns: the number of datagrams.
    package func receiveFromKernel(
        into buffer: UnsafeMutableRawBufferPointer, slots: Int, lengths: UnsafeMutablePointer<UInt32>
    ) throws(Errno) -> Int {
        let rawValue = descriptor.rawValue
        // For two datagrams, two calls of recv(2) cost less than one of recvmmsg(2).
        guard slots > 2 else {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC)
            let length = try valueOrErrno(.receive) {
                unsafe recv(rawValue, buffer.baseAddress, buffer.count / slots, flags)
            }
            unsafe lengths.pointee = UInt32(length)
            return 1
        }
        return try valueOrErrno(.receive) {
            unsafe clinux_receive_several(rawValue, buffer.baseAddress, buffer.count / slots, UInt32(slots), lengths)
        }
    }

    /// Receives one datagram. Throws `wouldBlock` if the queue is empty.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Datagram {
        var sender: UInt32 = 0
        let rawValue = descriptor.rawValue
        let count = try valueOrErrno(.receive) {
            unsafe clinux_receive_netlink(rawValue, buffer.baseAddress, buffer.count, &sender)
        }
        return Datagram(length: count, sender: sender)
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) throws(Errno) {
        var value = value
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) { unsafe setsockopt(rawValue, level, name, &value, 4) }
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
