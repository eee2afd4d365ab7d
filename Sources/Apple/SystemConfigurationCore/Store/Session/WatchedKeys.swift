// SPDX-License-Identifier: Apache-2.0

/// The keys that a session wants to be notified of.
struct WatchedKeys: Sendable {
    private let keys: Set<String>
    private let patterns: [KeyPattern]

    /// Nil if a pattern is no regular expression.
    init?(_ keys: [String], patterns: [String]) {
        let compiled = patterns.compactMap(KeyPattern.init)
        guard compiled.count == patterns.count else { return nil }
        self.keys = Set(keys)
        self.patterns = compiled
    }

    var isEmpty: Bool { keys.isEmpty && patterns.isEmpty }

    func contains(_ key: String) -> Bool {
        keys.contains(key) || patterns.contains { $0.matches(key) }
    }

    /// The watched keys whose values differ.
    func changes(from old: [String: PropertyValue], to new: [String: PropertyValue]) -> Set<String> {
        let changed = new.filter { old[$0.key] != $0.value }.keys + old.keys.filter { new[$0] == nil }
        return Set(changed.filter(contains))
    }
}
