// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// Stands for the kernel: a script answers each datagram that is sent.
final class ScriptedTransport: NetlinkTransport {
    enum Step {
        case datagram([UInt8])
        /// A datagram of this length, which may have been cut off.
        case cutOff(length: Int)
        case error(Errno)
    }

    /// A received request.
    struct Request {
        let type: UInt16
        let flags: UInt16
        let sequence: UInt32
        let payload: [UInt8]
    }

    let port: UInt32 = 4242
    /// The requests of each datagram sent.
    private(set) var sent: [[Request]] = []
    private var queue: [Step] = []
    private let answer: (_ attempt: Int, _ requests: [Request]) throws(Errno) -> [Step]

    init(_ answer: @escaping (_ attempt: Int, _ requests: [Request]) throws(Errno) -> [Step]) {
        self.answer = answer
    }

    func send(_ datagram: RawSpan) throws(Errno) {
        var requests: [Request] = []
        try? WireReader.forEachMessage(in: datagram) { (header, payload) throws(WireError) in
            var bytes: [UInt8] = []
            for offset in 0..<payload.byteCount { bytes.append(try payload.load(at: offset)) }
            requests.append(
                Request(type: header.type, flags: header.flags, sequence: header.sequence, payload: bytes))
        }
        sent.append(requests)
        queue += try answer(sent.count, requests)
    }

    func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
        guard !queue.isEmpty else { throw .wouldBlock }
        if case .error(let error) = queue[0] {
            queue.removeFirst()
            throw error
        }
        var taken = 0
        while taken < slots, let step = queue.first {
            switch step {
            case .datagram(let bytes): buffer.fill(taken, of: slots, with: bytes, length: bytes.count)
            case .cutOff(let length): buffer.fill(taken, of: slots, with: [], length: length)
            case .error: return taken
            }
            queue.removeFirst()
            taken += 1
        }
        return taken
    }

    /// A recorded answer with the sequence number and port of this request.
    static func stamped(_ recorded: [UInt8], _ request: Request, port: UInt32 = 4242) -> [UInt8] {
        recorded.stamped(request.sequence, port)
    }

    static func refusal(_ error: Errno, _ request: Request) -> [UInt8] { stamped(.refusal(error), request) }

    static func done(_ request: Request, flags: UInt16 = 2) -> [UInt8] {
        .message(type: 3, flags: flags, sequence: request.sequence, port: 4242, [0, 0, 0, 0])
    }
}

extension NetlinkRequester {
    /// Asks about destinations with one request each, and passes the answers in the order of the queries.
    func plainRoutes(_ queries: [RouteQuery], _ body: (Int, RouteAnswer) -> Void) throws(NetlinkError) {
        var answers: [RouteAnswer?] = queries.map { _ in nil }
        var failure: NetlinkError?
        try ask(count: queries.count) { (number, sequence, message) in
            RouteCodec.write(queries[number], match: false, sequence: sequence, into: &message)
        } read: { (number, error, payload) throws(WireError) in
            guard let error else {
                answers[number] = .route(
                    try RouteCodec.read(payload, family: queries[number].destination.family))
                return
            }
            if let refusal = RouteCodec.refusal(error) {
                answers[number] = .unreachable(refusal)
            } else {
                failure = .refused(error)
            }
        }
        if let failure { throw failure }
        for (number, answer) in answers.enumerated() { body(number, answer!) }
    }

    func plainRoute(_ query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        var found = RouteAnswer.unreachable(.noRoute)
        try plainRoutes([query]) { found = $1 }
        return found
    }
}
