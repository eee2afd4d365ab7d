// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// All watches of an engine. Finds them by target, or by an address inside a prefix. Confined to the engine's thread.
struct WatchTable {
    private let index = SortedIndex()
    /// The first ones are not in the set, because making the first set of a kind takes longer than all else that a start does.
    private var first: [WatchedTarget] = []
    private var others: Set<WatchedTarget> = []

    var count: Int { first.count + others.count }

    func forEach(_ body: (WatchedTarget) -> Void) {
        first.forEach(body)
        others.forEach(body)
    }

    /// The watch of a target. It is made if there is none; `isNew` says so.
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

    /// Calls `body` with each watch that a change of a prefix's route may concern.
    func forEach(in prefix: Prefix, _ body: (WatchedTarget) -> Void) { index.watches(in: prefix).forEach(body) }

    /// Whether a change of a prefix's route may concern any watch.
    func hasAny(in prefix: Prefix) -> Bool { !index.watches(in: prefix).isEmpty }

    /// The addresses whose routes matter to the watches, each once; nil if they are more than `limit`, or too many watches have them
    /// to find that out fast.
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
/// The key of an IPv6 address has only its upper half, so that an entry takes 16 bytes. What was inserted and removed waits for the next search:
/// very few entries are moved in and out one by one, and more of them with one pass over all.
final class SortedIndex {
    private typealias Entry = (key: UInt64, watch: WatchedTarget)

    private var sorted: [Entry] = []
    /// Not yet among the sorted ones.
    private var added: [Entry] = []
    /// Still among the others.
    private var removed: [Entry] = []
    /// How many entries were moved so far to add or remove others.
    private(set) var moves = 0

    var count: Int {
        sort()
        return sorted.count
    }

    func insert(_ watch: WatchedTarget) { added += Self.entries(of: watch) }

    /// Removes a watch, which is not inserted again.
    func remove(_ watch: WatchedTarget) {
        removed += Self.entries(of: watch)
        // So that nothing is kept for long.
        if 2 * removed.count >= sorted.count + added.count { sort() }
    }

    /// The watches with an address in a prefix; one with several, several times.
    func watches(in prefix: Prefix) -> some Collection<WatchedTarget> {
        sort()
        let first = prefix.base.indexKey
        // Swift's shift by the full width, or by more, yields zero.
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
    /// The upper half of an IPv6 address without its last bit, or an IPv4 address behind all of those.
    fileprivate var indexKey: UInt64 {
        switch self {
        case .v4(let address): 1 << 63 | UInt64(address.rawValue)
        case .v6(let address, _): address.high >> 1
        }
    }
}
