// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Bytes to be sent, in whatever form they come.
package protocol ConnectionContent: Sendable {
    var count: Int { get }

    /// Lends the bytes from `offset` on.
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

/// What waits to be sent, in the order in which it was given. Writes as much as the stream takes, and says whose
/// content is with the kernel now.
package struct SendQueue<Completion> {
    private struct Item {
        let content: (any ConnectionContent)?
        /// Nothing follows: the peer is told so.
        let isLast: Bool
        let completion: Completion
    }

    /// How far the queue came.
    package enum Outcome: Hashable, Sendable {
        case empty
        /// Something is left: the kernel takes nothing more now, or the turn is over.
        case blocked
        case failed(Errno)
    }

    private var items: [Item] = []
    private var position = 0
    /// How much of the first item is with the kernel.
    private var offset = 0
    private var hasEnded = false

    package init() {}

    package var isEmpty: Bool { position == items.count }

    /// False where nothing may follow what was given before.
    package mutating func append(
        _ content: (any ConnectionContent)?, isLast: Bool, _ completion: Completion
    ) -> Bool {
        guard !hasEnded else { return false }
        hasEnded = isLast
        items.append(Item(content: content, isLast: isLast, completion: completion))
        return true
    }

    /// Writes until there is nothing more, or no more is taken; `done` is called for each item that is through.
    ///
    /// - Parameter calls: how often it writes at most.
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
                        unsafe try stream.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(Turn.chunk)))
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

    /// Empties the queue, of which nothing will be sent any more.
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
        // Room is made in steps, so that a long queue is not moved for each of its items.
        if position == items.count || position >= 64 {
            items.removeFirst(position)
            position = 0
        }
        return completion
    }
}
