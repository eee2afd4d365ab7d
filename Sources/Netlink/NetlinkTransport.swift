// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The seam between what is said and how it travels: the kernel's socket, or a script in a test.
package protocol NetlinkTransport: AnyObject {
    /// The port that answers to this side's requests carry.
    var port: UInt32 { get }
    /// Sends one datagram, which may hold several requests.
    func send(_ datagram: RawSpan) throws(Errno)
    /// Takes datagrams that are there already, one into each slot of the buffer and at most `slots`; `wouldBlock` where
    /// there is none. Says how many there were.
    func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int
    /// Does the one and then the other.
    func exchange(_ datagram: RawSpan, into buffer: ReceiveBuffer, slots: Int) throws(ExchangeFailure) -> Int
}

extension NetlinkTransport {
    package func exchange(
        _ datagram: RawSpan, into buffer: ReceiveBuffer, slots: Int
    ) throws(ExchangeFailure) -> Int {
        try sendThenReceive(datagram, into: buffer, slots: slots)
    }

    fileprivate func sendThenReceive(
        _ datagram: RawSpan, into buffer: ReceiveBuffer, slots: Int
    ) throws(ExchangeFailure) -> Int {
        do throws(Errno) {
            try send(datagram)
        } catch {
            throw .notSent(error)
        }
        do throws(Errno) {
            return try receive(into: buffer, slots: slots)
        } catch {
            throw .notAnswered(error)
        }
    }
}

/// A netlink socket in the namespace of the thread that made it.
package final class KernelTransport: NetlinkTransport {
    private let socket: NetlinkSocket
    package let port: UInt32

    /// - Parameter group: what is announced to it comes as well, in order with the answers.
    package init(hearing group: NotificationGroup? = nil) throws(Errno) {
        let opened = try NetlinkSocket()
        // Old kernels lack the option; their errors are merely longer.
        try? opened.useShortErrors()
        try opened.connectToKernel()
        if let group { try opened.join(group: group.number) }
        port = try opened.port()
        socket = opened
    }

    package func send(_ datagram: RawSpan) throws(Errno) {
        try socket.send(datagram)
    }

    package func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
        try unsafe socket.receiveFromKernel(into: buffer.storage, slots: slots, lengths: buffer.lengths)
    }

    package func exchange(
        _ datagram: RawSpan, into buffer: ReceiveBuffer, slots: Int
    ) throws(ExchangeFailure) -> Int {
        // Many answers are cheaper to take together.
        guard slots <= 2, !FaultInjection.isArmed else {
            return try sendThenReceive(datagram, into: buffer, slots: slots)
        }
        return try unsafe socket.exchange(datagram, into: buffer.storage, slots: slots, lengths: buffer.lengths)
    }
}

/// Memory that datagrams are received into, used by one conversation again and again: one datagram in all of it, or
/// several, each in a slot.
@safe package final class ReceiveBuffer {
    /// The kernel builds dump datagrams of at most 32 KiB (netlink_dump in net/netlink/af_netlink.c).
    package static let largestDatagram = 32 << 10
    /// A slot is then a kilobyte; an answer about a route takes a quarter of that, unless it has many next hops.
    package static var mostSlots: Int { NetlinkSocket.mostAtOnce }

    @unsafe let storage: UnsafeMutableRawBufferPointer
    @unsafe let lengths: UnsafeMutablePointer<UInt32>

    package init(capacity: Int = ReceiveBuffer.largestDatagram) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 8)
        unsafe lengths = .allocate(capacity: Self.mostSlots)
        unsafe lengths.initialize(repeating: 0, count: Self.mostSlots)
    }

    deinit {
        unsafe storage.deallocate()
        unsafe lengths.deallocate()
    }

    package var capacity: Int { unsafe storage.count }

    /// Reads a datagram that has been received.
    ///
    /// - Returns: whether it was there as a whole, and not cut off.
    package func read<Failure: Error>(
        _ number: Int, of slots: Int, _ body: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        precondition(number < slots && slots <= Self.mostSlots)
        let slotBytes = slots == 1 ? capacity : capacity / slots
        let length = Int(unsafe lengths[number])
        guard length <= slotBytes else { return false }
        let start = number * slotBytes
        // The span ends with this call, the memory with this object.
        let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[start..<start + length]))
        try body(span)
        return true
    }

    /// Fills a slot as a receive would, for scripted transports.
    package func fill(_ number: Int, of slots: Int, with bytes: [UInt8], length: Int) {
        let slotBytes = capacity / slots
        for (offset, byte) in bytes.prefix(slotBytes).enumerated() {
            unsafe storage[number * slotBytes + offset] = byte
        }
        unsafe lengths[number] = UInt32(length)
    }
}
