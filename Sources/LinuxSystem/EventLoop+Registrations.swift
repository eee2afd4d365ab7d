// SPDX-License-Identifier: Apache-2.0

/// Which handler is told of which descriptor.
///
/// Each registration has a token of its own. One wait brings several events, and a handler may close a descriptor whose
/// event is still to come, and open another, which gets the same number (open(2)). By the descriptor alone the new one
/// would be told of the old one's event. An event that is dropped because its registration is gone is no loss: epoll tells
/// again of what is still so (level-triggered, epoll(7)).
struct Registrations {
    private var tokens: [Int32: UInt64] = [:]
    private var handlers: [UInt64: EventLoop.Handler] = [:]
    /// The token under which the next one is known. The loop's own are the largest numbers, which are never reached.
    private(set) var nextToken: UInt64 = 0

    func contains(_ descriptor: Int32) -> Bool { tokens[descriptor] != nil }

    /// Nil where the registration was replaced or removed since the event came.
    func handler(of token: UInt64) -> EventLoop.Handler? { handlers[token] }

    /// Takes a registration under `nextToken`, in place of what there was for the descriptor.
    mutating func insert(_ descriptor: Int32, _ handler: @escaping EventLoop.Handler) {
        remove(descriptor)
        tokens[descriptor] = nextToken
        handlers[nextToken] = handler
        nextToken += 1
    }

    /// False where there is none.
    @discardableResult
    mutating func remove(_ descriptor: Int32) -> Bool {
        guard let token = tokens.removeValue(forKey: descriptor) else { return false }
        handlers[token] = nil
        return true
    }
}
