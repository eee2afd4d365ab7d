// SPDX-License-Identifier: Apache-2.0

/// Maps descriptors to handlers.
///
/// Each registration has its own token, because a descriptor's number may be reused between an event and its handling. One
/// wait returns several events. A handler may close a descriptor whose event comes later in the list, and open another,
/// which gets the same number (open(2)); the new one must not receive the old one's event. Dropping an event whose
/// registration is gone loses nothing: epoll reports a condition again as long as it holds (level-triggered, epoll(7)).
///
/// A loop has a handful of descriptors, which are searched.
struct WatchedDescriptors {
    private struct Registration {
        let descriptor: Int32
        let token: UInt64
        let handler: EventLoop.Handler
    }

    private var registrations: [Registration] = []
    /// The token of the next registration. The loop's own tokens are the largest numbers, which are never reached.
    private(set) var nextToken: UInt64 = 0

    func contains(_ descriptor: Int32) -> Bool { registrations.contains { $0.descriptor == descriptor } }

    /// Nil if the registration was replaced or removed after the event came.
    func handler(of token: UInt64) -> EventLoop.Handler? { registrations.first { $0.token == token }?.handler }

    /// Adds a registration under `nextToken`. Replaces that of the same descriptor.
    mutating func insert(_ descriptor: Int32, _ handler: @escaping EventLoop.Handler) {
        remove(descriptor)
        registrations.append(Registration(descriptor: descriptor, token: nextToken, handler: handler))
        nextToken += 1
    }

    /// Returns false if there is none.
    @discardableResult
    mutating func remove(_ descriptor: Int32) -> Bool {
        guard let index = registrations.firstIndex(where: { $0.descriptor == descriptor }) else { return false }
        registrations.remove(at: index)
        return true
    }
}
