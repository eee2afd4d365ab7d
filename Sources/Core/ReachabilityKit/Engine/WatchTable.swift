// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// All watches of an engine. Finds them by target, or by an address inside a prefix. Confined to the engine's thread.
struct WatchTable {
    /// A watch is its own key, because a separate key would take more room than the watch itself.
    private var watches: Set<WatchKey> = []
    private var index4 = SortedIndex<UInt32, WatchedTarget>()
    private var index6 = SortedIndex<UInt128, WatchedTarget>()

    var count: Int { watches.count }
    var all: some Collection<WatchedTarget> { watches.lazy.map(\.watch) }

    /// The watch of a target. It is made if there is none; `isNew` says so.
    mutating func watch(_ target: Target, _ keys: RoutingKeys) -> (watch: WatchedTarget, isNew: Bool) {
        let (isNew, member) = watches.insert(WatchKey(watch: WatchedTarget(target: target, keys: keys)))
        let watch = member.watch
        guard isNew else { return (watch, false) }
        for address in watch.decidingAddresses {
            switch address {
            case .v4(let address): index4.insert(address.rawValue, watch)
            case .v6(let address, _): index6.insert(address.number, watch)
            }
        }
        return (watch, true)
    }

    func existing(_ target: Target, _ keys: RoutingKeys) -> WatchedTarget? {
        watches.firstIndex(of: WatchKey(watch: WatchedTarget(target: target, keys: keys))).map { watches[$0].watch }
    }

    mutating func remove(_ watch: WatchedTarget) {
        watches.remove(WatchKey(watch: watch))
        for address in watch.decidingAddresses {
            switch address {
            case .v4(let address): index4.remove(address.rawValue, watch)
            case .v6(let address, _): index6.remove(address.number, watch)
            }
        }
    }

    /// Calls `body` with each watch that a change of a prefix's route may concern.
    func forEach(in prefix: Prefix, _ body: (WatchedTarget) -> Void) {
        switch prefix.base {
        case .v4(let base):
            let last = base.rawValue | (prefix.length == 32 ? 0 : ~0 >> UInt32(prefix.length))
            index4.forEach(in: base.rawValue...last, body)
        case .v6(let base, _):
            let last = base.number | (prefix.length == 128 ? 0 : ~0 >> UInt128(prefix.length))
            index6.forEach(in: base.number...last, body)
        }
    }

    /// The addresses whose routes matter to the watches.
    var addresses: [IPAddress] {
        index4.keys.map { .v4(IPv4Address(rawValue: $0)) }
            + index6.keys.map {
                .v6(IPv6Address(high: UInt64(truncatingIfNeeded: $0 >> 64), low: UInt64(truncatingIfNeeded: $0)))
            }
    }
}

extension IPv6Address {
    fileprivate var number: UInt128 { UInt128(high) << 64 | UInt128(low) }
}
