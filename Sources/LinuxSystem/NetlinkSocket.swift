// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// A NETLINK_ROUTE socket as the kernel offers it: datagrams in and out, nothing understood (netlink(7)).
package struct NetlinkSocket: ~Copyable, Sendable {
    /// What one receive brought.
    package struct Datagram: Sendable {
        /// The datagram's true length, which is more than the buffer's where it was cut off.
        package let length: Int
        /// The netlink port of the sender; 0 is the kernel.
        package let sender: UInt32

        package init(length: Int, sender: UInt32) {
            self.length = length
            self.sender = sender
        }
    }

    private let descriptor: OwnedDescriptor

    /// Opens and binds a socket in the network namespace of the calling thread.
    package init() throws(Errno) {
        let opened = try OwnedDescriptor(
            owning: valueOrErrno(.socket) {
                socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
            })
        let rawValue = opened.rawValue
        _ = try valueOrErrno(.bind) { clinux_bind_netlink(rawValue) }
        descriptor = opened
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// The port the kernel gave this socket.
    package func port() throws(Errno) -> UInt32 {
        var address = sockaddr_nl()
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
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

    /// Has error answers carry no copy of the request, and extended error texts (Linux 4.12).
    package func useShortErrors() throws(Errno) {
        try set(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    }

    /// Has the kernel check dump requests strictly and filter by them (Linux 4.20).
    package func useStrictChecking() throws(Errno) {
        try set(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1)
    }

    /// The size of the receive queue; the kernel doubles it and keeps to its own smallest and largest.
    package func setReceiveBuffer(bytes: Int32) throws(Errno) {
        try set(SOL_SOCKET, SO_RCVBUF, bytes)
    }

    /// Attaches a classic BPF program, replacing the one before in a single step (SO_ATTACH_FILTER, socket(7)).
    package func attachFilter(_ program: [FilterInstruction]) throws(Errno) {
        var instructions = program.map { step in
            sock_filter(code: step.code, jt: step.jumpTrue, jf: step.jumpFalse, k: step.operand)
        }
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) {
            unsafe instructions.withUnsafeMutableBufferPointer { buffer in
                var program = unsafe sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
                return unsafe setsockopt(
                    rawValue, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout<sock_fprog>.size))
            }
        }
    }

    /// Takes the filter away, where there is one (SO_DETACH_FILTER, socket(7)).
    package func detachFilter() throws(Errno) {
        do throws(Errno) {
            try set(SOL_SOCKET, SO_DETACH_FILTER, 0)
        } catch {
            // There was none (sk_detach_filter in net/core/filter.c).
            if error != .noSuchFile { throw error }
        }
    }

    /// Has the kernel refuse what any other socket sends to this one (netlink_getsockbyportid in
    /// net/netlink/af_netlink.c). What root sends to a group comes all the same.
    package func connectToKernel() throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.connect) { clinux_connect_netlink(rawValue) }
        // What came before that.
        var scrap: UInt64 = 0
        withoutCancellation {
            while unsafe recv(rawValue, &scrap, 8, Int32(MSG_DONTWAIT)) >= 0 || errno == ENOBUFS {}
        }
    }

    /// As many datagrams as one call takes.
    package static var mostAtOnce: Int { Int(CLINUX_MOST_SLOTS) }

    /// Takes datagrams that are there, at most as many as there are slots, the buffer being divided evenly; `wouldBlock`
    /// where the queue is empty.
    ///
    /// - Parameter lengths: takes the datagrams' true lengths, more than a slot holds where one was cut off.
    /// - Returns: how many came.
    package func receiveFromKernel(
        into buffer: UnsafeMutableRawBufferPointer, slots: Int, lengths: UnsafeMutablePointer<UInt32>
    ) throws(Errno) -> Int {
        try FaultInjection.check(.receive)
        let rawValue = descriptor.rawValue
        guard slots > 1 else {
            let length = unsafe clinux_receive_one(rawValue, buffer.baseAddress, buffer.count)
            unsafe lengths.pointee = UInt32(try resultOrErrno(length))
            return 1
        }
        return try resultOrErrno(
            Int(
                unsafe clinux_receive_several(
                    rawValue, buffer.baseAddress, buffer.count / slots, UInt32(slots), lengths)))
    }

    /// Sends one datagram to the kernel and takes its answers, as `send` and `receiveFromKernel` would one after the other.
    ///
    /// - Parameter slots: few; as many as there are answers, each of which costs a receive.
    package func exchange(
        _ bytes: RawSpan, into buffer: UnsafeMutableRawBufferPointer, slots: Int,
        lengths: UnsafeMutablePointer<UInt32>
    ) throws(ExchangeFailure) -> Int {
        var isSent: Int32 = 0
        let rawValue = descriptor.rawValue
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe clinux_exchange(
                rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count / slots, UInt32(slots),
                lengths, &isSent)
        }
        do throws(Errno) {
            return try resultOrErrno(count)
        } catch {
            throw isSent == 0 ? .notSent(error) : .notAnswered(error)
        }
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) throws(Errno) {
        var value = value
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.setOption) { unsafe setsockopt(rawValue, level, name, &value, 4) }
    }

    /// Sends one datagram to the kernel.
    package func send(_ bytes: RawSpan) throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.send) {
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(rawValue, buffer.baseAddress, buffer.count, 0)
            }
        }
    }

    /// Takes one datagram if there is one; `wouldBlock` where the queue is empty.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Datagram {
        var sender: UInt32 = 0
        let rawValue = descriptor.rawValue
        let count = try valueOrErrno(.receive) {
            unsafe clinux_receive_netlink(rawValue, buffer.baseAddress, buffer.count, &sender)
        }
        return Datagram(length: count, sender: sender)
    }
}

/// Which half of an exchange failed.
package enum ExchangeFailure: Error, Hashable, Sendable {
    case notSent(Errno)
    case notAnswered(Errno)
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
