// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Sends requests to the kernel over one transport, and reads the answers. Used by one thread at a time.
///
/// The kernel processes a request inside send(2), so the answer is queued when send returns. Nothing here blocks or needs a
/// timeout. If an answer is missing, the kernel dropped it because the queue was full, and the request is repeated.
///
/// The kernel's socket also receives announcements of changes of links, of IPv6 addresses and of routing rules. The queue keeps its order, and
/// the kernel queues an announcement before the call that made the change returns. So an answer that has been received proves
/// that the announcement of every earlier such change has been received too.
package final class NetlinkRequester {
    private let transport: any NetlinkTransport
    private let buffer = ReceiveBuffer()
    /// Moved to a local variable while a request is written and sent, because accesses to a local variable need no check
    /// for exclusivity at run time. After an error a new one is made. The other properties are unchecked for the same
    /// reason: no two accesses overlap.
    @safe @exclusivity(unchecked) private var builder: MessageBuilder? = MessageBuilder()
    /// Begins at a random number, so that messages which root sends to the link group are not taken for answers.
    @safe @exclusivity(unchecked) private var sequence = UInt32.random(in: 0 ... .max)
    @safe @exclusivity(unchecked) package private(set) var counters = RequesterCounters()

    /// Whether it is told of every change of a link, an IPv6 address or a rule. If not, what was learned may be out of date at any time.
    package var isTold: Bool { transport.isTold }

    /// Counts everything received that is no answer, and everything lost. What was learned about links and their IPv6
    /// addresses is still true if this is the same after a later answer.
    package var linkGeneration: Int { counters.strays + counters.truncations + counters.overruns }

    /// The same for routing rules.
    package var ruleGeneration: Int { counters.ruleAnnouncements + counters.truncations + counters.overruns }

    /// How often a request is sent before lost answers are an error.
    static var attempts: Int { 4 }

    /// The same for a dump. While its subject changes without a pause, several dumps in a row may be interrupted.
    static var dumpAttempts: Int { 32 }

    package init(transport: any NetlinkTransport) { self.transport = transport }

    /// Opens a socket to the kernel in the namespace of the calling thread, for rtnetlink or for generic netlink.
    package convenience init(generic: Bool = false) throws(NetlinkError) {
        do throws(Errno) {
            let groups: [NotificationGroup] = generic ? [] : [.link, .ipv6Address, .ipv4Rule, .ipv6Rule]
            self.init(transport: try NetlinkSocket(hearing: groups, generic: generic))
        } catch {
            throw .system(.open, error)
        }
    }

    /// The largest number of requests in a datagram. One bit of a number stands for each missing answer.
    static var largestBatch: Int { 64 }

    /// Sends `count` requests in one datagram, and passes the answer to each.
    ///
    /// - Parameters:
    ///   - write: writes request `number` with the given sequence number.
    ///   - read: receives the answer to request `number`: an error of the kernel, or a message.
    @inline(__always)
    package func ask(
        count: Int,
        write: (_ number: Int, _ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        read: (_ number: Int, _ error: Errno?, _ payload: RawSpan) throws(WireError) -> Void
    ) throws(NetlinkError) {
        precondition(count <= Self.largestBatch)
        var request = builder.take() ?? MessageBuilder()
        var missing: UInt64 = count == 64 ? .max : 1 << UInt64(count) - 1
        var damage: WireError?
        for attempt in 0..<Self.attempts {
            let first = sequence &+ 1
            sequence &+= UInt32(count)
            request.clear()
            for number in 0..<count where missing & 1 << UInt64(number) != 0 {
                write(number, first &+ UInt32(number), &request)
            }
            // After the first attempt an answer may use the whole buffer, as it may be too large for a slot.
            var slots = attempt > 0 ? 1 : min(count, NetlinkSocket.maximumSlots)
            try send(request)
            while let datagrams = try receive(slots) {
                for datagram in 0..<datagrams {
                    let wrong = readMessages(datagram, of: slots) { (header, payload) throws(WireError) in
                        let number = UInt64(header.sequence &- first)
                        guard header.port == transport.port, number < UInt64(count), missing & 1 << number != 0
                        else { return countStray(header) }
                        try read(Int(number), Self.error(header, payload), payload)
                        missing &= ~(1 << number)
                    }
                    // The damaged datagram may be another message, with the answer behind it.
                    damage = wrong ?? damage
                }
                guard missing != 0 else { break }
                slots = min(missing.nonzeroBitCount, slots)
            }
            if missing == 0 {
                builder = consume request
                return
            }
        }
        throw damage.map(NetlinkError.malformed) ?? .answersLost
    }

    /// Sends one request, and reads the message that answers it.
    ///
    /// - Parameter isAbsence: whether an error of the kernel means that there is no such thing. The answer is nil then.
    package func askOne<Value>(
        isAbsence: (Errno) -> Bool,
        write: (_ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        read: (_ payload: RawSpan) throws(WireError) -> Value?
    ) throws(NetlinkError) -> Value? {
        var value: Value?
        var failure: Errno?
        try ask(count: 1) { (_, sequence, message) in
            write(sequence, &message)
        } read: { (_, error, payload) throws(WireError) in
            failure = error
            if error == nil { value = try read(payload) }
        }
        if let failure, !isAbsence(failure) { throw .refused(failure) }
        return value
    }

    /// Requests a dump and passes its messages. Starts over if the kernel says that the subject changed meanwhile.
    package func dump(
        attempts: Int = NetlinkRequester.dumpAttempts,
        write: (_ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        restart: () -> Void,
        read: (_ type: UInt16, _ payload: RawSpan) throws(WireError) -> Void
    ) throws(NetlinkError) {
        var request = builder.take() ?? MessageBuilder()
        for _ in 0..<attempts {
            restart()
            sequence &+= 1
            request.clear()
            write(sequence, &request)
            try send(request)
            if try readDump(read) {
                builder = consume request
                return
            }
        }
        throw .answersLost
    }

    /// Returns false if the subject changed meanwhile, or if a part is missing.
    private func readDump(
        _ read: (_ type: UInt16, _ payload: RawSpan) throws(WireError) -> Void
    ) throws(NetlinkError) -> Bool {
        var isInterrupted = false
        var isOver = false
        var failure: Errno?
        // Each receive makes the kernel queue the next part (netlink_recvmsg), so the queue is not empty before the end.
        while !isOver, try receive(1) != nil {
            let damage = readMessages(0, of: 1) { (header, payload) throws(WireError) in
                guard header.port == transport.port, header.sequence == sequence else { return countStray(header) }
                if header.flags & UInt16(NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
                if header.type == UInt16(NLMSG_DONE) {
                    isOver = true
                } else if let error = try Self.error(header, payload) {
                    // The queue was full, or the dump before has not come to its end, so the kernel did not begin (netlink_dump
                    // in net/netlink/af_netlink.c). This loop empties the queue, and the request is sent again.
                    if ![.noBufferSpace, .busy].contains(error) { (failure, isOver) = (error, true) }
                } else {
                    try read(header.type, payload)
                }
            }
            if let damage { throw .malformed(damage) }
        }
        if let failure { throw .refused(failure) }
        return isOver && !isInterrupted
    }

    /// The error that a message reports; nil for any other message.
    private static func error(_ header: MessageHeader, _ payload: RawSpan) throws(WireError) -> Errno? {
        guard header.type == UInt16(NLMSG_ERROR) else { return nil }
        return Errno(rawValue: -(try payload.load(Int32.self, at: 0)))
    }

    @inline(__always)
    private func send(_ request: borrowing MessageBuilder) throws(NetlinkError) {
        do throws(Errno) {
            try request.withBytes { (bytes) throws(Errno) in try transport.send(bytes) }
        } catch {
            throw .system(.send, error)
        }
    }

    private func countStray(_ header: MessageHeader) {
        counters.strays += 1
        if header.type == UInt16(RTM_NEWRULE) || header.type == UInt16(RTM_DELRULE) { counters.ruleAnnouncements += 1 }
    }

    /// Receives what is queued; nil if there is nothing.
    @inline(__always)
    private func receive(_ slots: Int) throws(NetlinkError) -> Int? {
        do throws(Errno) {
            return try transport.receive(into: buffer, slots: slots)
        } catch {
            switch error {
            case .wouldBlock: return nil
            case .noBufferSpace:
                try overran()
                return nil
            default: throw .system(.receive, error)
            }
        }
    }

    /// Handles an overrun: counts it and empties the queue. Until the queue was found empty the kernel may lose more without
    /// reporting it (netlink_overrun in net/netlink/af_netlink.c), so nothing that is still queued counts.
    @inline(never)
    private func overran() throws(NetlinkError) {
        counters.overruns += 1
        while true {
            do throws(Errno) {
                _ = try transport.receive(into: buffer, slots: 1)
            } catch {
                switch error {
                case .wouldBlock: return
                case .noBufferSpace: continue
                default: throw .system(.receive, error)
                }
            }
        }
    }

    /// Reads the messages of a datagram. Ignores and counts one that was cut off. If a message is malformed, returns the
    /// error and ignores the rest of the datagram.
    @inline(__always)
    private func readMessages(
        _ datagram: Int, of slots: Int, _ body: (MessageHeader, RawSpan) throws(WireError) -> Void
    ) -> WireError? {
        do throws(WireError) {
            let isWhole = try buffer.read(datagram, of: slots) { (bytes) throws(WireError) in
                try WireReader.forEachMessage(in: bytes, body)
            }
            if !isWhole { counters.truncations += 1 }
            return nil
        } catch {
            counters.strays += 1
            return error
        }
    }
}
