// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A limited number of answers until they expire. There is no timer: expired answers are removed when room is needed.
struct AnswerCache: Sendable {
    /// A program that uses more names than this looks some of them up again.
    static let capacity = 4096

    private var answers: [NameQuery: Resolution] = [:]

    var count: Int { answers.count }

    subscript(query: NameQuery) -> Resolution? { answers[query] }

    mutating func store(_ resolution: Resolution, at now: BootTime) {
        guard resolution.expires > now else { return }
        if answers.count >= Self.capacity, answers[resolution.query] == nil { makeRoom(at: now) }
        answers[resolution.query] = resolution
    }

    mutating func removeAll() {
        answers.removeAll()
    }

    /// Removes the expired answers. If there are none, removes the eighth that expires first, so that this happens
    /// rarely.
    private mutating func makeRoom(at now: BootTime) {
        answers = answers.filter { $0.value.expires > now }
        guard answers.count >= Self.capacity else { return }
        let limit = answers.values.map(\.expires).sorted()[Self.capacity / 8]
        var spare = Self.capacity / 8
        answers = answers.filter { entry in
            guard spare > 0, entry.value.expires <= limit else { return true }
            spare -= 1
            return false
        }
    }
}

/// A dictionary that does not keep its values alive.
package struct WeakTable<Key: Hashable, Value: AnyObject> {
    private struct Entry {
        weak var value: Value?
    }

    private var entries: [Key: Entry] = [:]
    /// When the table has this many entries, those of released objects are dropped.
    private var limit = 16

    package init() {}

    package var values: [Value] { entries.values.compactMap(\.value) }

    package subscript(key: Key) -> Value? { entries[key]?.value }

    package mutating func insert(_ value: Value, for key: Key) {
        if entries.count >= limit {
            entries = entries.filter { $0.value.value != nil }
            limit = max(16, 2 * entries.count)
        }
        entries[key] = Entry(value: value)
    }
}
