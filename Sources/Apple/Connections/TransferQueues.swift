// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Bytes to send, in any form.
package protocol ConnectionContent: Sendable {
    var count: Int { get }

    /// Calls `body` with the bytes from `offset` on.
    func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Result
    ) throws(Errno) -> Result
}

/// Has a callback of the client run later, never inside this call.
typealias Deliver = (@escaping @Sendable () -> Void) -> Void

/// The contents that wait to be sent, in order. Writes as much as the stream takes, and reports each content that the
/// kernel has taken.
struct SendQueue {
    typealias Completion = @Sendable (ConnectionFailure?) -> Void

    private struct Item {
        let content: (any ConnectionContent)?
        /// Whether the peer is told that nothing follows.
        let isLast: Bool
        /// Whether it came after the last. It fails in its turn.
        let isLate: Bool
        let completion: Completion
    }

    enum Outcome: Hashable {
        case empty
        /// Something is left: the kernel takes no more now, or the limit of calls was met.
        case blocked
        case failed(Errno)
    }

    private var items = FIFO<Item>()
    /// How many bytes of the first item the kernel has taken.
    private var offset = 0
    private var hasEnded = false

    /// Whether the kernel has taken all that was given.
    var isEmpty: Bool { items.isEmpty }

    /// What comes after the end of the stream fails with EPIPE, after all before it.
    mutating func append(_ content: (any ConnectionContent)?, isLast: Bool, _ completion: @escaping Completion) {
        let isLate = hasEnded
        items.append(
            Item(
                content: isLate ? nil : content, isLast: isLast && !isLate, isLate: isLate, completion: completion))
        hasEnded = hasEnded || isLast
    }

    /// Writes until the queue is empty or no more is taken.
    ///
    /// - Parameters:
    ///   - calls: the most calls of `write`.
    ///   - deliver: receives the callback of each content that was written in full.
    mutating func drain(into stream: any ConnectionStream, calls: Int, _ deliver: Deliver) -> Outcome {
        var calls = calls
        do throws(Errno) {
            while let item = items.first {
                if let content = item.content, offset < content.count {
                    if calls == 0 { return .blocked }
                    calls -= 1
                    unsafe offset += try content.withBytes(from: offset) { (bytes) throws(Errno) in
                        unsafe try stream.write(
                            UnsafeRawBufferPointer(rebasing: bytes.prefix(TransferLimit.bytesPerCall)))
                    }
                    continue
                }
                if item.isLast { try stream.closeWriting() }
                _ = items.popFirst()
                offset = 0
                deliver { item.completion(item.isLate ? .system(.brokenPipe) : nil) }
            }
            return .empty
        } catch {
            return error == .wouldBlock ? .blocked : .failed(error)
        }
    }

    /// Empties the queue without sending.
    mutating func failAll(_ failure: ConnectionFailure, _ deliver: Deliver) {
        for item in items.removeAll() { deliver { item.completion(failure) } }
        offset = 0
    }
}

/// The receives that wait for bytes, in order. Reads no more than they ask for, so that TCP's window holds back the
/// peer of a slow client.
struct ReceiveQueue {
    typealias Completion = @Sendable (ReceivedContent) -> Void

    enum Outcome: Hashable {
        /// No receive waits.
        case idle
        /// A receive waits: there are no bytes now, or the limit of calls was met.
        case blocked
        case failed(Errno)
    }

    private struct Request {
        let minimum: Int
        let maximum: Int
        let completion: Completion
    }

    private var requests = FIFO<Request>()
    /// The bytes read for the first request, while they are fewer than its minimum.
    private var partial: [UInt8] = []
    private(set) var hasEnded = false

    var isEmpty: Bool { requests.isEmpty }

    /// One whose maximum is 0 completes in its turn, and takes neither a byte nor the end.
    mutating func append(minimum: Int, maximum: Int, _ completion: @escaping Completion) {
        let maximum = max(0, maximum)
        requests.append(
            Request(minimum: min(max(1, minimum), maximum), maximum: maximum, completion: completion))
    }

    /// Reads what is asked for and available, within the limit of calls.
    ///
    /// - Parameters:
    ///   - failure: the connection's error, if sending has met it. A socket reports its error once; later it reads as if
    ///     the peer had ended in order.
    ///   - deliver: given the callback of each receive that is complete.
    mutating func drain(
        from stream: any ConnectionStream, afterSendError failure: Errno?, _ deliver: Deliver
    ) -> Outcome {
        for _ in 0..<TransferLimit.callsPerEvent {
            guard let request = requests.first else { return .idle }
            guard request.maximum > 0 else {
                finish(request, [], isEnd: false, nil, deliver)
                continue
            }
            guard !hasEnded else {
                // As on Apple's systems, the end is reported once, and a later receive fails with ENODATA.
                finish(request, [], isEnd: true, .system(.noMoreData), deliver)
                continue
            }
            do throws(Errno) {
                let room = request.maximum - partial.count
                let fresh = try stream.read(atMost: min(room, TransferLimit.bytesPerCall))
                if fresh.isEmpty, let failure { return .failed(failure) }
                hasEnded = fresh.isEmpty
                if partial.isEmpty { partial = fresh } else { partial += fresh }
                if hasEnded || partial.count >= request.minimum {
                    let content = partial
                    partial = []
                    finish(request, content, isEnd: hasEnded, nil, deliver)
                }
            } catch {
                if error == .wouldBlock { return .blocked }
                return .failed(error)
            }
        }
        return requests.isEmpty ? .idle : .blocked
    }

    /// Fails every receive. The first gets the bytes that were read for it.
    mutating func failAll(_ failure: ConnectionFailure, _ deliver: Deliver) {
        for request in requests.removeAll() {
            let content = ReceivedContent(bytes: partial, isEnd: false, failure: failure)
            partial = []
            deliver { request.completion(content) }
        }
    }

    private mutating func finish(
        _ request: Request, _ bytes: [UInt8], isEnd: Bool, _ failure: ConnectionFailure?, _ deliver: Deliver
    ) {
        _ = requests.popFirst()
        let content = ReceivedContent(bytes: bytes, isEnd: isEnd, failure: failure)
        deliver { request.completion(content) }
    }
}

extension ConnectionStream {
    /// Reads at most `count` bytes; none at the end of the stream.
    func read(atMost count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                filled = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
