// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Carries datagrams: the kernel's socket, or a script in a test.
package protocol NetlinkTransport: AnyObject {
    /// The port that answers to this side's requests carry.
    var port: UInt32 { get }
    /// Whether the answers come with announcements of every change of a link or a rule.
    var isTold: Bool { get }
    /// Sends one datagram, which may hold several requests.
    func send(_ datagram: RawSpan) throws(Errno)
    /// Receives the datagrams that are queued, at most `slots`, one into each slot of the buffer. Returns their number.
    /// Throws `wouldBlock` if there is none.
    func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int
}

extension NetlinkTransport {
    package var isTold: Bool { true }
}

extension NetlinkSocket: NetlinkTransport {
    /// Opens a socket for requests in the namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - groups: the socket also receives the announcements to these groups, in order with the answers.
    ///   - generic: speaks generic netlink instead of rtnetlink.
    package convenience init(hearing groups: [NotificationGroup], generic: Bool = false) throws(Errno) {
        try self.init(generic: generic, groups: groups.mask, asks: true)
    }

    package func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
        try unsafe receiveFromKernel(into: buffer.storage, slots: slots, lengths: buffer.lengths)
    }
}

/// Memory for received datagrams, which a requester uses again and again: one datagram in all of it, or several, each in
/// a slot.
@safe package final class ReceiveBuffer {
    /// The kernel builds dump datagrams of at most 32 KiB (netlink_dump in net/netlink/af_netlink.c).
    package static let largestDatagram = 32 << 10

    @unsafe let storage: UnsafeMutableRawBufferPointer
    @unsafe let lengths: UnsafeMutablePointer<UInt32>

    package init(capacity: Int = ReceiveBuffer.largestDatagram) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 8)
        unsafe lengths = .allocate(capacity: NetlinkSocket.maximumSlots)
        unsafe lengths.initialize(repeating: 0, count: NetlinkSocket.maximumSlots)
    }

    deinit {
        unsafe storage.deallocate()
        unsafe lengths.deallocate()
    }

    package var capacity: Int { unsafe storage.count }

    /// Passes a received datagram to `body`.
    ///
    /// - Returns: false if the datagram was cut off; `body` is not called then.
    package func read<Failure: Error>(
        _ number: Int, of slots: Int, _ body: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        precondition(number < slots && slots <= NetlinkSocket.maximumSlots)
        let slotBytes = slots == 1 ? capacity : capacity / slots
        let length = Int(unsafe lengths[number])
        guard length <= slotBytes else { return false }
        let start = number * slotBytes
        // The span is used in this call only, and the memory lives as long as this object.
        let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[start..<start + length]))
        try body(span)
        return true
    }

    /// Fills a slot as a receive would, for scripted transports.
    package func fill(_ number: Int, of slots: Int, with bytes: [UInt8], length: Int) {
        let slotBytes = capacity / slots
        let slot = unsafe UnsafeMutableRawBufferPointer(
            rebasing: storage[number * slotBytes..<(number + 1) * slotBytes])
        unsafe slot.copyBytes(from: bytes.prefix(slotBytes))
        unsafe lengths[number] = UInt32(length)
    }
}

/// Why a request to the kernel failed or its answer could not be read. "There is no route" is an answer, not an error.
package enum NetlinkError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(Operation, Errno)
    /// The kernel returned an error that says nothing about reachability.
    case refused(Errno)
    /// Answers were lost, also when the request was repeated.
    case answersLost
    /// A datagram could not be parsed.
    case malformed(WireError)
    /// Without netlink, the kernel cannot be asked with these keys.
    case needsNetlink

    /// Whether the request is refused to this process for good. A security module refuses to send it (selinux_netlink_send).
    package var isRefusal: Bool {
        switch self {
        case .refused(let errno), .system(.open, let errno): errno.isRefusal
        case .system(.send, let errno): errno.isRefusal && !isOfLostSocket
        default: false
        }
    }

    /// Whether the descriptor was not a netlink socket. What another socket says is in `clinux_send_netlink`; one that is not
    /// connected says EOPNOTSUPP or EPIPE.
    package var isOfLostSocket: Bool {
        switch self {
        case .system(_, .badDescriptor), .system(_, .notASocket): true
        case .system(.send, let number):
            [.isConnected, .notSupported, .invalidArgument, .addressFamilyNotSupported, .brokenPipe].contains(number)
        default: false
        }
    }

    /// Whether it says something about one question alone, so that others may well be answered, and that the same question would
    /// fail again.
    package var concernsOneQuestion: Bool {
        switch self {
        case .refused(let errno): !errno.isShortage
        case .needsNetlink: true
        default: false
        }
    }

    package enum Operation: String, Hashable, Sendable {
        case open = "open a netlink socket"
        case openProbe = "look at a new UDP socket"
        case send = "send a netlink request"
        case receive = "receive a netlink answer"
    }
}

/// What a requester received that was not its answer, or could not receive. None of it makes an answer wrong.
package struct RequesterCounters: Hashable, Sendable {
    /// Messages whose sequence number or port is not that of the request.
    package var strays = 0
    /// Announcements of changed routing rules; they are strays too.
    package var ruleAnnouncements = 0
    /// Datagrams that were larger than the buffer.
    package var truncations = 0
    /// How often the kernel dropped messages because the queue was full.
    package var overruns = 0

    package init() {}
}
