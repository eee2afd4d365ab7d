// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// All watches of an engine. Finds them by target, or by an address inside a prefix. Confined to the engine's thread.
struct WatchTable {
    private let index4 = SortedIndex<UInt32, WatchedTarget>()
    private let index6 = SortedIndex<UInt128, WatchedTarget>()
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
        for address in target.decidingAddresses {
            switch address {
            case .v4(let address): index4.insert(address.rawValue, watch)
            case .v6(let address, _): index6.insert(address.number, watch)
            }
        }
        return (watch, true)
    }

    func existing(_ target: Target, _ keys: RoutingKeys) -> WatchedTarget? {
        let equal = WatchedTarget(target: target, keys: keys)
        return first.first { $0 == equal } ?? others.firstIndex(of: equal).map { others[$0] }
    }

    mutating func remove(_ watch: WatchedTarget) {
        others.remove(watch)
        first.removeAll { $0 === watch }
        for address in watch.target.decidingAddresses {
            switch address {
            case .v4(let address): index4.remove(address.rawValue, watch)
            case .v6(let address, _): index6.remove(address.number, watch)
            }
        }
    }

    /// Calls `body` with each watch that a change of a prefix's route may concern.
    func forEach(in prefix: Prefix, _ body: (WatchedTarget) -> Void) {
        switch prefix.base {
        case .v4(let base): index4.forEach(in: range(from: base.rawValue, prefix.length), body)
        case .v6(let base, _): index6.forEach(in: range(from: base.number, prefix.length), body)
        }
    }

    /// Whether a change of a prefix's route may concern any watch.
    func hasAny(in prefix: Prefix) -> Bool {
        switch prefix.base {
        case .v4(let base): index4.hasAny(in: range(from: base.rawValue, prefix.length))
        case .v6(let base, _): index6.hasAny(in: range(from: base.number, prefix.length))
        }
    }

    private func range<Number: FixedWidthInteger & UnsignedInteger>(
        from first: Number, _ length: UInt8
    ) -> ClosedRange<Number> {
        // Swift's shift by the full width yields zero.
        first...(first | ~0 >> length)
    }

    /// The addresses whose routes matter to the watches, each once; nil if they are more than `limit`, or too many watches have them
    /// to find that out fast. Most watches have one, and none has more than three.
    func addresses(atMost limit: Int) -> [IPAddress]? {
        guard index4.count + index6.count <= 3 * limit else { return nil }
        let (four, six) = (index4.distinctKeys, index6.distinctKeys)
        guard four.count + six.count <= limit else { return nil }
        return four.map { .v4(IPv4Address(rawValue: $0)) }
            + six.map {
                .v6(IPv6Address(high: UInt64(truncatingIfNeeded: $0 >> 64), low: UInt64(truncatingIfNeeded: $0)))
            }
    }
}

extension IPv6Address {
    fileprivate var number: UInt128 { UInt128(high) << 64 | UInt128(low) }
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

/// Finds the values whose keys lie in a range, such as the watched addresses inside a prefix. Used on one thread.
///
/// What was inserted and removed waits for the next search: very few entries are moved in and out one by one, and more of them
/// with one pass over all. The class does not say that keys are comparable: the runtime would search for that.
package final class SortedIndex<Key, Value: AnyObject> {
    private typealias Entry = (key: Key, value: Value)

    private var sorted: [Entry] = []
    /// Not yet among the sorted ones.
    private var added: [Entry] = []
    /// Still among the others.
    private var removed: [Entry] = []
    /// How many entries were moved so far to add or remove others.
    package private(set) var moves = 0

    package init() {}
}

extension SortedIndex where Key: Comparable {
    package var count: Int {
        sort()
        return sorted.count
    }

    /// The keys without repetitions.
    package var distinctKeys: [Key] {
        sort()
        var keys: [Key] = []
        for entry in sorted where entry.key != keys.last { keys.append(entry.key) }
        return keys
    }

    package func insert(_ key: Key, _ value: Value) { added.append((key, value)) }

    /// Removes a value. One with several keys has to be removed from all of them, and none is inserted again.
    package func remove(_ key: Key, _ value: Value) {
        removed.append((key, value))
        // So that nothing is kept for long.
        if 2 * removed.count >= sorted.count + added.count { sort() }
    }

    /// Calls `body` with every value whose key lies in the range.
    package func forEach(in range: ClosedRange<Key>, _ body: (Value) -> Void) {
        sort()
        for entry in sorted[position(of: range.lowerBound)...] {
            guard entry.key <= range.upperBound else { return }
            body(entry.value)
        }
    }

    /// Whether a key lies in the range.
    package func hasAny(in range: ClosedRange<Key>) -> Bool {
        sort()
        let first = position(of: range.lowerBound)
        return first < sorted.count && sorted[first].key <= range.upperBound
    }

    private func position(of key: Key) -> Int { sorted.partitionPoint { $0.key >= key } }

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
                guard let position = equals.firstIndex(where: { $0.key != entry.key || $0.value === entry.value }),
                    sorted[position].value === entry.value
                else { continue }
                moves += sorted.count - position
                sorted.remove(at: position)
            }
        } else {
            moves += sorted.count
            let gone = Set(removed.map { ObjectIdentifier($0.value) })
            sorted.removeAll { gone.contains(ObjectIdentifier($0.value)) }
        }
        removed = []
    }
}
