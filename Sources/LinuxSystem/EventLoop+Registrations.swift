// SPDX-License-Identifier: Apache-2.0

/// Maps descriptors to handlers.
///
/// Each registration has its own token, because a descriptor's number may be reused between an event and its handling. One
/// wait returns several events. A handler may close a descriptor whose event comes later in the list, and open another,
/// which gets the same number (open(2)); the new one must not receive the old one's event. Dropping an event whose
/// registration is gone loses nothing: epoll reports a condition again as long as it holds (level-triggered, epoll(7)).
struct Registrations {
    private var tokens: [Int32: UInt64] = [:]
    private var handlers: [UInt64: EventLoop.Handler] = [:]
    /// The token of the next registration. The loop's own tokens are the largest numbers, which are never reached.
    private(set) var nextToken: UInt64 = 0

    func contains(_ descriptor: Int32) -> Bool { tokens[descriptor] != nil }

    /// Nil if the registration was replaced or removed after the event came.
    func handler(of token: UInt64) -> EventLoop.Handler? { handlers[token] }

    /// Adds a registration under `nextToken`. Replaces that of the same descriptor.
    mutating func insert(_ descriptor: Int32, _ handler: @escaping EventLoop.Handler) {
        remove(descriptor)
        tokens[descriptor] = nextToken
        handlers[nextToken] = handler
        nextToken += 1
    }

    /// Returns false if there is none.
    @discardableResult
    mutating func remove(_ descriptor: Int32) -> Bool {
        guard let token = tokens.removeValue(forKey: descriptor) else { return false }
        handlers[token] = nil
        return true
    }
}
