// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// All watches of an engine, which can be found by target, or by an address inside a prefix. Confined to the engine's thread.
struct WatchTable {
    private let index = SortedIndex()
    /// The first watches are not in the set, because making the first set of a type takes longer than everything else at the
    /// start.
    private var first: [WatchedTarget] = []
    private var others: Set<WatchedTarget> = []

    var count: Int { first.count + others.count }

    func forEach(_ body: (WatchedTarget) -> Void) {
        first.forEach(body)
        others.forEach(body)
    }

    /// The watch of a target, which is made if there is none; `isNew` says so.
    mutating func watch(_ target: Target, _ keys: RoutingKeys) -> (watch: WatchedTarget, isNew: Bool) {
        let new = WatchedTarget(target: target, keys: keys)
        if let known = first.first(where: { $0 == new }) { return (known, false) }
        let isAmongFirst = others.isEmpty && first.count < 8
        let (isNew, watch) = isAmongFirst ? (true, new) : others.insert(new)
        guard isNew else { return (watch, false) }
        if isAmongFirst { first.append(watch) }
        index.insert(watch)
        return (watch, true)
    }

    func existing(_ target: Target, _ keys: RoutingKeys) -> WatchedTarget? {
        let equal = WatchedTarget(target: target, keys: keys)
        return first.first { $0 == equal } ?? others.firstIndex(of: equal).map { others[$0] }
    }

    mutating func remove(_ watch: WatchedTarget) {
        others.remove(watch)
        first.removeAll { $0 === watch }
        index.remove(watch)
    }

    /// Calls `body` with each watch that a change of a route for this prefix may concern.
    func forEach(in prefix: Prefix, _ body: (WatchedTarget) -> Void) { index.watches(in: prefix).forEach(body) }

    /// Whether a change of a route for this prefix may concern any watch.
    func hasAny(in prefix: Prefix) -> Bool { !index.watches(in: prefix).isEmpty }

    /// The addresses whose routes matter to the watches, each once. Nil if there are more than `limit`, or if so many watches
    /// share them that finding out would take too long.
    func addresses(atMost limit: Int) -> [IPAddress]? {
        guard count <= 3 * limit else { return nil }
        var addresses: Set<IPAddress> = []
        forEach { addresses.formUnion($0.target.decidingAddresses) }
        return addresses.count <= limit ? Array(addresses) : nil
    }
}

extension WatchedTarget: Hashable {
    package static func == (left: WatchedTarget, right: WatchedTarget) -> Bool {
        left.target == right.target && left.keys == right.keys
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        hasher.combine(keys)
    }
}

/// Finds the watches whose addresses lie in a prefix. Used on one thread.
///
/// The key of an IPv6 address is only its upper half, so that an entry takes 16 bytes. Insertions and removals wait for the next
/// search: a very few entries are moved one by one, and more of them in one pass over all entries.
final class SortedIndex {
    private typealias Entry = (key: UInt64, watch: WatchedTarget)

    private var sorted: [Entry] = []
    /// Entries that are not sorted in yet.
    private var added: [Entry] = []
    /// Entries that are still among the others.
    private var removed: [Entry] = []
    /// How many entries have been moved so far to add or remove others.
    private(set) var moves = 0

    var count: Int {
        sort()
        return sorted.count
    }

    func insert(_ watch: WatchedTarget) { added += Self.entries(of: watch) }

    /// Removes a watch, which is not inserted again.
    func remove(_ watch: WatchedTarget) {
        removed += Self.entries(of: watch)
        // Limits how long removed watches are kept.
        if 2 * removed.count >= sorted.count + added.count { sort() }
    }

    /// The watches with an address in a prefix. A watch with several such addresses is returned several times.
    func watches(in prefix: Prefix) -> some Collection<WatchedTarget> {
        sort()
        let first = prefix.base.indexKey
        // In Swift, a shift by the full width or more yields zero.
        let last = first | ~0 >> (prefix.length + (prefix.base.family == .v4 ? 32 : 1))
        return sorted[position(of: first)..<sorted.partitionPoint { $0.key > last }].lazy.map(\.watch).filter {
            prefix.length < 64 || $0.target.decidingAddresses.contains(where: prefix.contains)
        }
    }

    private static func entries(of watch: WatchedTarget) -> [Entry] {
        watch.target.decidingAddresses.map { ($0.indexKey, watch) }
    }

    private func position(of key: UInt64) -> Int { sorted.partitionPoint { $0.key >= key } }

    private func sort() {
        if added.count <= 8 {
            for entry in added {
                let position = position(of: entry.key)
                moves += sorted.count - position
                sorted.insert(entry, at: position)
            }
        } else {
            moves += sorted.count + added.count
            sorted += added
            sorted.sort { $0.key < $1.key }
        }
        added = []
        if removed.count <= 8 {
            for entry in removed {
                let equals = sorted[position(of: entry.key)...]
                guard let position = equals.firstIndex(where: { $0.key != entry.key || $0.watch === entry.watch }),
                    sorted[position].watch === entry.watch
                else { continue }
                moves += sorted.count - position
                sorted.remove(at: position)
            }
        } else {
            moves += sorted.count
            let gone = Set(removed.map { ObjectIdentifier($0.watch) })
            sorted.removeAll { gone.contains(ObjectIdentifier($0.watch)) }
        }
        removed = []
    }
}

extension IPAddress {
    /// The upper half of an IPv6 address without its last bit, or an IPv4 address after all of those.
    fileprivate var indexKey: UInt64 {
        switch self {
        case .v4(let address): 1 << 63 | UInt64(address.rawValue)
        case .v6(let address, _): address.high >> 1
        }
    }
}
