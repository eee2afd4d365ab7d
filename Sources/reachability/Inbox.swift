// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// What other threads tell the main one: messages in order, and a descriptor that is readable while there are any.
final class Inbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let arrival: EventDescriptor

    init() throws(Errno) {
        arrival = try EventDescriptor()
    }

    var rawDescriptor: Int32 { arrival.rawDescriptor }

    /// Called from any thread.
    func deliver(_ message: Message) {
        messages.withLock { $0.append(message) }
        arrival.signal()
    }

    /// All that has come. First the descriptor, then the messages: one that comes between is announced anew.
    func take() -> [Message] {
        arrival.drain()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
