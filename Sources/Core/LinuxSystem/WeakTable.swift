// SPDX-License-Identifier: Apache-2.0

/// A dictionary that does not keep its values alive.
package struct WeakTable<Key: Hashable, Value: AnyObject> {
    private struct Entry {
        weak var value: Value?
    }

    private var entries: [Key: Entry] = [:]
    /// When the table has this many entries, those of released objects are dropped.
    private var limit = 16

    package init() {}

    package subscript(key: Key) -> Value? { entries[key]?.value }

    package mutating func insert(_ value: Value, for key: Key) {
        if entries.count >= limit {
            entries = entries.filter { $0.value.value != nil }
            limit = max(16, 2 * entries.count)
        }
        entries[key] = Entry(value: value)
    }
}
