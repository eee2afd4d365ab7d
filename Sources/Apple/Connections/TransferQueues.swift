// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Bytes to send, in any form.
package protocol ConnectionContent: Sendable {
    var count: Int { get }

    /// Calls `body` with the bytes from `offset` on.
    func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Result
    ) throws(Errno) -> Result
}

extension [UInt8]: ConnectionContent {
    package func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        let outcome = unsafe withUnsafeBytes { buffer in
            Swift.Result { () throws(Errno) in
                unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            }
        }
        return try outcome.get()
    }
}

/// The contents that wait to be sent, in order. Writes as much as the stream takes, and reports each content that the
/// kernel has taken.
package struct SendQueue<Completion> {
    private struct Item {
        let content: (any ConnectionContent)?
        /// Whether the peer is told that nothing follows.
        let isLast: Bool
        let completion: Completion
    }

    package enum Outcome: Hashable, Sendable {
        case empty
        /// Something is left: the kernel takes no more now, or the limit of calls was met.
        case blocked
        case failed(Errno)
    }

    private var items: [Item] = []
    private var position = 0
    /// How many bytes of the first item the kernel has taken.
    private var offset = 0
    private var hasEnded = false

    package init() {}

    package var isEmpty: Bool { position == items.count }

    /// Returns false if the end of the stream was queued before.
    package mutating func append(
        _ content: (any ConnectionContent)?, isLast: Bool, _ completion: Completion
    ) -> Bool {
        guard !hasEnded else { return false }
        hasEnded = isLast
        items.append(Item(content: content, isLast: isLast, completion: completion))
        return true
    }

    /// Writes until the queue is empty or no more is taken. Calls `done` for each content that is complete.
    ///
    /// - Parameter calls: the most calls of `write`.
    package mutating func drain(
        into stream: any ConnectionStream, calls: Int, done: (Completion) -> Void
    ) -> Outcome {
        var calls = calls
        do throws(Errno) {
            while position < items.count {
                let item = items[position]
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
                done(removeFirst())
            }
            return .empty
        } catch {
            return error == .wouldBlock ? .blocked : .failed(error)
        }
    }

    /// Empties the queue without sending.
    package mutating func removeAll() -> [Completion] {
        defer {
            items = []
            (position, offset) = (0, 0)
        }
        return items[position...].map(\.completion)
    }

    private mutating func removeFirst() -> Completion {
        let completion = items[position].completion
        offset = 0
        position += 1
        // Sent items are removed in steps, so that a long queue is not moved for each item.
        if position == items.count || position >= 64 {
            items.removeFirst(position)
            position = 0
        }
        return completion
    }
}

/// The receives that wait for bytes, in order. Reads no more than they ask for, so that TCP's window holds back the
/// peer of a slow client.
package struct ReceiveQueue<Completion> {
    /// The outcome of one receive.
    package struct Delivery {
        package let completion: Completion
        package let content: [UInt8]
        /// Whether the peer will send nothing more.
        package let isEnd: Bool
        package let failure: Errno?
    }

    package enum Outcome: Hashable, Sendable {
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

    private var requests: [Request] = []
    /// The bytes read for the first request, while they are fewer than its minimum.
    private var partial: [UInt8] = []
    package private(set) var hasEnded = false

    package init() {}

    package var isEmpty: Bool { requests.isEmpty }

    package mutating func append(minimum: Int, maximum: Int, _ completion: Completion) {
        let maximum = max(1, maximum)
        requests.append(
            Request(minimum: min(max(1, minimum), maximum), maximum: maximum, completion: completion))
    }

    /// Reads what is asked for and available, within the limit of calls.
    ///
    /// - Parameter failure: the connection's error, if sending has met it. A socket reports its error once; later it
    ///   reads as if the peer had ended in order.
    package mutating func drain(
        from stream: any ConnectionStream, afterSendError failure: Errno?, deliver: (Delivery) -> Void
    ) -> Outcome {
        for _ in 0..<TransferLimit.callsPerEvent {
            guard let request = requests.first else { return .idle }
            guard !hasEnded else {
                // As on Apple's systems, the end is reported once, and a later receive fails with ENODATA.
                finish(request, [], .noMoreData, deliver)
                continue
            }
            do throws(Errno) {
                let room = request.maximum - partial.count
                let fresh = try Self.read(from: stream, atMost: min(room, TransferLimit.bytesPerCall))
                if fresh.isEmpty, let failure { return .failed(failure) }
                hasEnded = fresh.isEmpty
                if partial.isEmpty { partial = fresh } else { partial += fresh }
                if hasEnded || partial.count >= request.minimum {
                    let content = partial
                    partial = []
                    finish(request, content, nil, deliver)
                }
            } catch {
                if error == .wouldBlock { return .blocked }
                return .failed(error)
            }
        }
        return requests.isEmpty ? .idle : .blocked
    }

    /// Fails every receive. The first gets the bytes that were read for it.
    package mutating func removeAll(_ failure: Errno?) -> [Delivery] {
        defer {
            requests = []
            partial = []
        }
        return requests.enumerated().map { position, request in
            Delivery(
                completion: request.completion, content: position == 0 ? partial : [], isEnd: false, failure: failure)
        }
    }

    private mutating func finish(
        _ request: Request, _ content: [UInt8], _ failure: Errno?, _ deliver: (Delivery) -> Void
    ) {
        requests.removeFirst()
        deliver(Delivery(completion: request.completion, content: content, isEnd: hasEnded, failure: failure))
    }

    private static func read(from stream: any ConnectionStream, atMost count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                filled = unsafe try stream.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
