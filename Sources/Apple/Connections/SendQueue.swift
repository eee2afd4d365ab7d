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
