// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// Questions to the kernel over one transport, each answered before the next is asked.
///
/// The kernel works a request off inside send(2), so its answer waits in the queue when send returns: nothing here
/// ever blocks, and nothing needs a timeout. An answer that is not there was dropped because the queue was full, and is
/// asked for again. Used by one thread at a time.
///
/// The kernel's socket is told of changes of links as well. What comes is queued in order, and the kernel queues an
/// announcement before the call that made the change returns. So whoever has taken an answer has heard of every change
/// of a link that was made before the question.
package final class NetlinkRequester {
    private let transport: any NetlinkTransport
    private let buffer: ReceiveBuffer
    /// Taken out while a request is written and sent: what is a local variable then needs no check at run time that
    /// nobody else is using it. One that an error loses is made anew. For the same reason the accesses here are
    /// unchecked: each is over before the next begins, and only one thread is here at a time.
    @safe @exclusivity(unchecked) private var builder: MessageBuilder? = MessageBuilder()
    /// Begins anywhere: what root may send to all who hear of links is no answer without the right number.
    @safe @exclusivity(unchecked) private var sequence = UInt32.random(in: 0 ... .max)
    @safe @exclusivity(unchecked) package private(set) var counters = RequesterCounters()

    /// How much was heard so far that is no answer, or could not be heard. What was learned of links before is true as
    /// long as this is the same after an answer.
    package var linkGeneration: Int { counters.strays + counters.truncations + counters.overruns }

    /// Hears what there is to hear without asking anything.
    package func listen() throws(NetlinkError) {
        while try receive(1) != nil { counters.strays += 1 }
    }

    /// How often lost answers are asked for before giving up.
    static let attempts = 4

    package init(transport: any NetlinkTransport, buffer: ReceiveBuffer = ReceiveBuffer()) {
        self.transport = transport
        self.buffer = buffer
    }

    /// Opens a conversation with the kernel of the calling thread's namespace.
    package convenience init() throws(NetlinkError) {
        do throws(Errno) {
            self.init(transport: try KernelTransport(hearing: .link))
        } catch {
            throw .system(.open, error)
        }
    }

    /// One answer to one request: the message, or the kernel's error.
    package enum Answer {
        case message(type: UInt16)
        case failure(Errno)
    }

    /// As many questions as one datagram may carry: what is still missing is kept in the bits of one number.
    static let largestBatch = 64

    /// Asks `count` questions in one datagram and passes each one's answer on, by the question's number.
    ///
    /// - Parameters:
    ///   - write: writes question `number` with the given sequence number.
    ///   - read: takes the answer to question `number`.
    @inline(__always)
    package func ask(
        count: Int,
        write: (_ number: Int, _ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        read: (_ number: Int, _ answer: Answer, _ payload: RawSpan) throws(WireError) -> Void
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
            // An answer that was too large for a slot has all of the buffer the next time.
            var slots = attempt > 0 ? 1 : min(count, ReceiveBuffer.mostSlots)
            var received = try exchange(request, slots)
            while let datagrams = received {
                for datagram in 0..<datagrams {
                    let wrong = readWhole(datagram, of: slots) { (header, payload) throws(WireError) in
                        let number = UInt64(header.sequence &- first)
                        guard header.port == transport.port, number < UInt64(count), missing & 1 << number != 0
                        else {
                            counters.strays += 1
                            return
                        }
                        try read(Int(number), Self.answer(header, payload), payload)
                        missing &= ~(1 << number)
                    }
                    // It may be somebody else's, with the answer behind it.
                    damage = wrong ?? damage
                }
                guard missing != 0 else { break }
                slots = min(missing.nonzeroBitCount, slots)
                received = try receive(slots)
            }
            if missing == 0 {
                builder = consume request
                return
            }
        }
        throw damage.map(NetlinkError.malformed) ?? .answersLost
    }

    /// Asks for a dump and passes every message of it; starts over where the kernel says that it changed meanwhile.
    package func dump(
        write: (_ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        restart: () -> Void,
        read: (_ type: UInt16, _ payload: RawSpan) throws(WireError) -> Void
    ) throws(NetlinkError) {
        var request = builder.take() ?? MessageBuilder()
        for _ in 0..<Self.attempts {
            restart()
            sequence &+= 1
            request.clear()
            write(sequence, &request)
            try send(request)
            switch try readDump(read) {
            case .complete:
                builder = consume request
                return
            case .interrupted: counters.interruptedDumps += 1
            case .lost: break
            case .failed(let error): throw .refused(error)
            }
        }
        throw .answersLost
    }

    private enum DumpEnd {
        case complete, interrupted, lost
        case failed(Errno)
    }

    private func readDump(
        _ read: (_ type: UInt16, _ payload: RawSpan) throws(WireError) -> Void
    ) throws(NetlinkError) -> DumpEnd {
        var interrupted = false
        var end: DumpEnd?
        // Each receive makes the kernel produce the next part (netlink_recvmsg), so the queue is never found empty
        // before the end.
        while end == nil, try receive(1) != nil {
            let damage = readWhole(0, of: 1) { (header, payload) throws(WireError) in
                guard header.port == transport.port, header.sequence == sequence else {
                    counters.strays += 1
                    return
                }
                if header.flags & UInt16(NLM_F_DUMP_INTR) != 0 { interrupted = true }
                if header.type == UInt16(NLMSG_DONE) {
                    end = interrupted ? .interrupted : .complete
                } else if case .failure(let error) = try Self.answer(header, payload) {
                    end = .failed(error)
                } else {
                    try read(header.type, payload)
                }
            }
            if let damage { throw .malformed(damage) }
        }
        return end ?? .lost
    }

    private static func answer(_ header: MessageHeader, _ payload: RawSpan) throws(WireError) -> Answer {
        guard header.type == UInt16(NLMSG_ERROR) else { return .message(type: header.type) }
        let number = try payload.load(Int32.self, at: 0)
        return .failure(Errno(rawValue: -number))
    }

    /// Sends, and takes what has come; nil where there is nothing.
    @inline(__always)
    private func exchange(_ request: borrowing MessageBuilder, _ slots: Int) throws(NetlinkError) -> Int? {
        do throws(ExchangeFailure) {
            return try request.withBytes { (bytes) throws(ExchangeFailure) in
                try transport.exchange(bytes, into: buffer, slots: slots)
            }
        } catch {
            switch error {
            case .notSent(let error): throw .system(.send, error)
            case .notAnswered(.wouldBlock): return nil
            case .notAnswered(.noBufferSpace):
                try overran()
                return nil
            case .notAnswered(let error): throw .system(.receive, error)
            }
        }
    }

    private func send(_ request: borrowing MessageBuilder) throws(NetlinkError) {
        do throws(Errno) {
            try request.withBytes { (bytes) throws(Errno) in try transport.send(bytes) }
        } catch {
            throw .system(.send, error)
        }
    }

    /// Takes what has come; nil where there is nothing.
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

    /// Something was lost, and more may be until the queue has been found empty: before that, the kernel says so no second
    /// time (netlink_overrun in net/netlink/af_netlink.c). So nothing that is still there counts.
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

    /// Reads the messages of a datagram; one that was cut off is counted, and nothing in it believed. Returns where it is
    /// malformed, from where on nothing in it is believed either.
    @inline(__always)
    private func readWhole(
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
