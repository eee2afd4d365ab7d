// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// All watches of an engine. Finds them by target, or by an address inside a prefix. Confined to the engine's thread.
struct WatchTable {
    private var index4 = SortedIndex<UInt32, WatchedTarget>()
    private var index6 = SortedIndex<UInt128, WatchedTarget>()
    /// All of them, by the hashes of target and keys.
    private var watches = SortedIndex<Int, WatchedTarget>()

    var count: Int { watches.count }
    var all: [WatchedTarget] {
        var all: [WatchedTarget] = []
        watches.forEach { all.append($0) }
        return all
    }

    /// The watch of a target. It is made if there is none; `isNew` says so.
    mutating func watch(_ target: Target, _ keys: RoutingKeys) -> (watch: WatchedTarget, isNew: Bool) {
        if let known = existing(target, keys) { return (known, false) }
        let watch = WatchedTarget(target: target, keys: keys)
        watches.insert(Self.hash(target, keys), watch)
        for address in target.decidingAddresses {
            switch address {
            case .v4(let address): index4.insert(address.rawValue, watch)
            case .v6(let address, _): index6.insert(address.number, watch)
            }
        }
        return (watch, true)
    }

    func existing(_ target: Target, _ keys: RoutingKeys) -> WatchedTarget? {
        let hash = Self.hash(target, keys)
        var found: WatchedTarget?
        watches.forEach(in: hash...hash) { watch in
            if watch.target == target, watch.keys == keys { found = watch }
        }
        return found
    }

    private static func hash(_ target: Target, _ keys: RoutingKeys) -> Int {
        var hasher = Hasher()
        hasher.combine(target)
        hasher.combine(keys)
        return hasher.finalize()
    }

    mutating func remove(_ watch: WatchedTarget) {
        watches.remove(Self.hash(watch.target, watch.keys), watch)
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

/// Finds the values whose keys lie in a range, such as the watched addresses inside a prefix.
///
/// The entries are kept in sorted blocks of limited length. Inserting or removing moves the rest of one block, and rarely
/// the list of blocks. So the cost hardly grows with the number of entries, whatever their order.
package struct SortedIndex<Key: Comparable & Sendable, Value: AnyObject> {
    /// Entries with equal keys are sorted by their values, so that one among very many is found as fast as any other.
    private struct Entry: Comparable {
        let key: Key
        let value: Value

        static func < (left: Entry, right: Entry) -> Bool {
            left.key < right.key
                || left.key == right.key && ObjectIdentifier(left.value) < ObjectIdentifier(right.value)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.key == right.key && left.value === right.value }
    }

    /// Keeps the list of blocks short, and moving half of a block cheap.
    package static var longestBlock: Int { 256 }

    /// No block is empty, and no two neighbours together would fit into half a block.
    private var blocks: [[Entry]] = []
    package private(set) var count = 0
    /// How many entries and blocks were moved so far to insert and remove others.
    package private(set) var moves = 0

    package init() {}

    /// The keys without repetitions.
    var distinctKeys: [Key] {
        var keys: [Key] = []
        for block in blocks { for entry in block where entry.key != keys.last { keys.append(entry.key) } }
        return keys
    }

    package mutating func insert(_ key: Key, _ value: Value) {
        let entry = Entry(key: key, value: value)
        count += 1
        var block = block(of: entry)
        guard block < blocks.count else {
            blocks.append([entry])
            return
        }
        if blocks[block].count == Self.longestBlock {
            // Keys inserted in ascending order fill the blocks completely.
            if block == blocks.count - 1, blocks[block][Self.longestBlock - 1] < entry {
                blocks.append([entry])
                return
            }
            split(block)
            if !(entry < blocks[block + 1][0]) { block += 1 }
        }
        let position = blocks[block].partitionPoint { entry < $0 }
        moves += blocks[block].count - position
        blocks[block].insert(entry, at: position)
    }

    package mutating func remove(_ key: Key, _ value: Value) {
        let entry = Entry(key: key, value: value)
        let block = block(of: entry)
        guard block < blocks.count else { return }
        let position = blocks[block].partitionPoint { !($0 < entry) }
        guard position < blocks[block].count, blocks[block][position] == entry else { return }
        count -= 1
        moves += blocks[block].count - position - 1
        blocks[block].remove(at: position)
        if blocks[block].isEmpty {
            moves += blocks.count - block - 1
            blocks.remove(at: block)
        } else {
            join(block)
            if block > 0 { join(block - 1) }
        }
    }

    package func forEach(_ body: (Value) -> Void) {
        for block in blocks { for entry in block { body(entry.value) } }
    }

    /// Calls `body` with every value whose key lies in the range.
    package func forEach(in range: ClosedRange<Key>, _ body: (Value) -> Void) {
        let first = max(0, blocks.partitionPoint { !($0[0].key < range.lowerBound) } - 1)
        for block in blocks[min(first, blocks.count)...] {
            for entry in block[block.partitionPoint { !($0.key < range.lowerBound) }...] {
                guard entry.key <= range.upperBound else { return }
                body(entry.value)
            }
        }
    }

    /// Whether a key lies in the range.
    package func hasAny(in range: ClosedRange<Key>) -> Bool {
        let block = blocks.partitionPoint { !($0[$0.count - 1].key < range.lowerBound) }
        guard block < blocks.count else { return false }
        let position = blocks[block].partitionPoint { !($0.key < range.lowerBound) }
        return blocks[block][position].key <= range.upperBound
    }

    /// The block that an entry is in or belongs to: the last one that does not begin after it.
    private func block(of entry: Entry) -> Int {
        max(0, blocks.partitionPoint { entry < $0[0] } - 1)
    }

    private mutating func split(_ block: Int) {
        let middle = blocks[block].count / 2
        moves += blocks[block].count - middle + blocks.count - block - 1
        blocks.insert(Array(blocks[block][middle...]), at: block + 1)
        blocks[block].removeSubrange(middle...)
    }

    /// Joins a block and the next if both are short.
    private mutating func join(_ block: Int) {
        guard block + 1 < blocks.count, blocks[block].count + blocks[block + 1].count <= Self.longestBlock / 2 else {
            return
        }
        moves += blocks[block + 1].count + blocks.count - block - 2
        blocks[block] += blocks.remove(at: block + 1)
    }
}

extension Array {
    /// The position of the first element that fulfils the condition. All elements after it must fulfil it too.
    func partitionPoint(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
