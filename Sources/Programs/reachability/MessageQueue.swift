// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Messages from other threads to the main thread, in order, and a descriptor that is readable while there are any.
final class MessageQueue<Message: Sendable>: Sendable {
    private let messages = Lock<[Message]>([])
    private let event: EventDescriptor

    init() throws(Errno) {
        event = try EventDescriptor()
    }

    var rawDescriptor: Int32 { event.rawDescriptor }

    /// Called from any thread.
    func append(_ message: Message) {
        messages.withLock { $0.append(message) }
        event.signal()
    }

    /// Returns all messages. The descriptor is reset first, so that it signals a message that comes in between.
    func removeAll() -> [Message] {
        event.drain()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
