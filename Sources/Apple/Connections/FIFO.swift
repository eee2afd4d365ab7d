// SPDX-License-Identifier: Apache-2.0

/// A queue: what came first is taken first. Taking one moves each of the others once at most, where an array would move all of
/// them each time.
struct FIFO<Element> {
    private var incoming: [Element] = []
    /// The first is the last of these.
    private var outgoing: [Element] = []

    init() {}

    var count: Int { incoming.count + outgoing.count }
    var isEmpty: Bool { count == 0 }
    var first: Element? { outgoing.last ?? incoming.first }

    mutating func append(_ element: Element) { incoming.append(element) }

    mutating func popFirst() -> Element? {
        if outgoing.isEmpty { (outgoing, incoming) = (incoming.reversed(), []) }
        return outgoing.popLast()
    }

    /// Removes and returns all, in their order.
    mutating func removeAll() -> [Element] {
        defer { self = Self() }
        return outgoing.reversed() + incoming
    }
}

extension FIFO: Sendable where Element: Sendable {}
