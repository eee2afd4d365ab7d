// SPDX-License-Identifier: Apache-2.0

/// A queue: what came first is taken first. Taking one moves each of the others once at most, where an array would move all of
/// them each time.
package struct FIFO<Element> {
    private var incoming: [Element] = []
    /// The first is the last of these.
    private var outgoing: [Element] = []

    package init() {}

    package var count: Int { incoming.count + outgoing.count }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { outgoing.last ?? incoming.first }

    package mutating func append(_ element: Element) { incoming.append(element) }

    package mutating func popFirst() -> Element? {
        if outgoing.isEmpty { (outgoing, incoming) = (incoming.reversed(), []) }
        return outgoing.popLast()
    }

    /// Removes and returns all, in their order.
    package mutating func removeAll() -> [Element] {
        defer { self = Self() }
        return outgoing.reversed() + incoming
    }

    package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        incoming.removeAll(where: isRemoved)
        outgoing.removeAll(where: isRemoved)
    }
}

extension FIFO: Sendable where Element: Sendable {}
