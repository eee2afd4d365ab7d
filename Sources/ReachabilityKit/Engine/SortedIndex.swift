// SPDX-License-Identifier: Apache-2.0

/// Finds what lies in a range of numbers, among many: the watched addresses inside a prefix.
///
/// A sorted array, as the densest thing to search, and a short unsorted tail of what came since it was sorted. The
/// tail is merged in when it has grown to a fixed share, so that adding one by one costs little, and a search looks at
/// the matches and the tail only.
package struct SortedIndex<Key: FixedWidthInteger & Sendable, Value: AnyObject> {
    package struct Entry {
        package let key: Key
        package let value: Value
    }

    private var sorted: [Entry] = []
    private var tail: [Entry] = []

    package init() {}

    package var count: Int { sorted.count + tail.count }

    package var keys: [Key] { sorted.map(\.key) + tail.map(\.key) }

    package mutating func insert(_ key: Key, _ value: Value) {
        tail.append(Entry(key: key, value: value))
        if tail.count > 64 + sorted.count / 32 { mergeTail() }
    }

    package mutating func remove(_ key: Key, _ value: Value) {
        if let position = tail.lastIndex(where: { $0.key == key && $0.value === value }) {
            tail.swapAt(position, tail.count - 1)
            tail.removeLast()
            return
        }
        var position = firstPosition(notBelow: key)
        while position < sorted.count, sorted[position].key == key {
            if sorted[position].value === value {
                sorted.remove(at: position)
                return
            }
            position += 1
        }
    }

    /// Passes every value whose key lies in the range.
    package func forEach(in range: ClosedRange<Key>, _ body: (Value) -> Void) {
        var position = firstPosition(notBelow: range.lowerBound)
        while position < sorted.count, sorted[position].key <= range.upperBound {
            body(sorted[position].value)
            position += 1
        }
        for entry in tail where range.contains(entry.key) { body(entry.value) }
    }

    private func firstPosition(notBelow key: Key) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func mergeTail() {
        tail.sort { $0.key < $1.key }
        var merged: [Entry] = []
        merged.reserveCapacity(count)
        var (left, right) = (sorted[...], tail[...])
        while let a = left.first, let b = right.first {
            if b.key < a.key {
                merged.append(right.removeFirst())
            } else {
                merged.append(left.removeFirst())
            }
        }
        sorted = merged + left + right
        tail = []
    }
}
