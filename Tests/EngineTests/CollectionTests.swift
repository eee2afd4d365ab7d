// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityLinuxSystem
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("An observer")
struct ObserverTests {
    /// The number of answers that differed is a byte.
    @Test(arguments: [1, 2, 255, 256, 257, 512]) func `is told the present answer first, however many there were`(
        count: Int
    ) {
        let watch = Watch()
        for number in 0..<count { _ = watch.take(Observation(flags: number % 2 == 0 ? .reachable : [])) }
        let told = ReceivedValues<Observation?>()
        let observer = Observer { watch, _ in told.record(watch.answer) }
        var batch = DeliveryBatch(because: .other)
        observer.notify(watch, &batch)
        #expect(told.untaken == 1)
    }
}

/// A watch of an IPv4 address that is this number.
private func watch(_ number: UInt32) -> WatchedTarget {
    WatchedTarget(target: .address(.v4(IPv4Address(rawValue: number))), keys: RoutingKeys())
}

@Suite("The sorted index")
struct SortedIndexTests {
    @Test func `finds the watches in a prefix, both ends included`() {
        let index = SortedIndex()
        for number in [0, 8, 15, 15, UInt32.max] { index.insert(watch(number)) }
        let rows: [(UInt32, length: UInt8, count: Int)] = [
            (8, 29, 3), (16, 28, 0), (0, 32, 1), (.max, 32, 1), (1 << 31, 1, 1), (0, 0, 5),
        ]
        for (number, length, count) in rows {
            let prefix = Prefix(.v4(IPv4Address(rawValue: number)), length: length)
            #expect(index.watches(in: prefix).count == count, "\(prefix)")
        }
        #expect(index.watches(in: .all(.v6)).isEmpty && SortedIndex().watches(in: .all(.v4)).isEmpty)
    }

    /// Its keys are only a part of them.
    @Test func `finds IPv6 addresses by all of their bits`() {
        let index = SortedIndex()
        for text in ["::1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "ffff:ffff:ffff:ffff::1"] {
            index.insert(WatchedTarget(target: .address(IPAddress(text: text)), keys: RoutingKeys()))
        }
        let rows = [
            ("::/0", 5), ("2001:db8::/32", 3), ("2001:db8::/64", 2), ("2001:db8::/126", 2), ("2001:db8::2/127", 1),
            ("2001:db8::1/128", 1), ("2001:db8::3/128", 0), ("ff00::/8", 1), ("ffff:ffff:ffff:ffff::2/128", 0),
        ]
        for (text, count) in rows { #expect(index.watches(in: Prefix(text: text)).count == count, "\(text)") }
        #expect(index.watches(in: .all(.v4)).isEmpty)
    }

    @Test func `releases what was removed`() {
        let index = SortedIndex()
        weak var gone: WatchedTarget?
        do {
            let watch = watch(1)
            gone = watch
            index.insert(watch)
            index.remove(watch)
        }
        #expect(gone == nil && index.count == 0)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `agrees with a plain list through any sequence of changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let index = SortedIndex()
        var list: [(key: UInt32, watch: WatchedTarget)] = []
        for round in 0..<4000 {
            // Few different addresses, so that many are equal, and more insertions than removals.
            let key = UInt32.random(in: 0..<600, using: &random)
            if list.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
                let watch = watch(key)
                list.append((key, watch))
                index.insert(watch)
            } else {
                index.remove(list.remove(at: Int.random(in: 0..<list.count, using: &random)).watch)
            }
            guard round % 7 == 0 else { continue }
            let prefix = Prefix(
                .v4(IPv4Address(rawValue: key)), length: round % 49 == 0 ? 0 : .random(in: 24...32, using: &random))
            let found = index.watches(in: prefix).map { ObjectIdentifier($0) }
            let inPrefix = list.filter { prefix.contains(.v4(IPv4Address(rawValue: $0.key))) }
            #expect(found.sorted() == inPrefix.map { ObjectIdentifier($0.watch) }.sorted())
            #expect(index.count == list.count)
        }
    }
}

/// The cost of inserting and removing, counted in moved entries.
@Suite("The sorted index, with 20,000 entries")
struct SortedIndexCostTests {
    private static let count = 20_000

    enum Order: CaseIterable { case ascending, descending, random }

    /// All keys are equal with very many references to one address in different network namespaces or with different keys.
    @Test(arguments: Order.allCases, [false, true])
    func `moves few of them for one, if many come or go in a row`(order: Order, areEqual: Bool) {
        var random = SeededGenerator(seed: 7)
        let index = SortedIndex()
        let watches = (0..<Self.count).map { watch(areEqual ? 7 : UInt32($0)) }
        let numbers: [Int] =
            switch order {
            case .ascending: Array(0..<Self.count)
            case .descending: (0..<Self.count).reversed()
            case .random: (0..<Self.count).shuffled(using: &random)
            }
        for number in numbers { index.insert(watches[number]) }
        #expect(index.count == Self.count && index.moves <= Self.count)
        for number in numbers { index.remove(watches[number]) }
        #expect(index.count == 0 && index.moves <= 4 * Self.count)
    }

    /// Announcements may come between any two of them.
    @Test func `moves half of them for one, if it is searched for at once`() {
        var random = SeededGenerator(seed: 8)
        let index = SortedIndex()
        for number in 0..<Self.count { index.insert(watch(UInt32(number))) }
        #expect(index.count == Self.count)
        let before = index.moves
        for _ in 0..<100 {
            let watch = watch(UInt32.random(in: 0..<UInt32(Self.count), using: &random))
            index.insert(watch)
            #expect(!index.watches(in: Prefix(watch.target.decidingAddresses[0], length: 32)).isEmpty)
            index.remove(watch)
            #expect(index.count == Self.count)
        }
        #expect(index.moves - before < 2 * 100 * Self.count * 3 / 5)
    }
}

@Suite("Timers")
struct TimerQueueTests {
    /// With a near horizon most timers fire, with a distant one most are cancelled.
    @Test(arguments: [4, 5, 6] as [UInt64], [200, 100_000] as [UInt64])
    func `fire in order, equal ones as they were set, and cancelled ones never`(seed: UInt64, horizon: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        var list: [(moment: UInt64, number: Int, token: LoopTimer)] = []
        var fired: [Int] = []
        var now: UInt64 = 0
        for number in 0..<5000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let moment = now + UInt64.random(in: 0..<horizon, using: &random)
                let token = queue.insert(BootTime(nanoseconds: moment)) { fired.append(number) }
                list.append((moment, number, token))
            case 5..<9 where !list.isEmpty:
                let token = list.remove(at: Int.random(in: 0..<list.count, using: &random)).token
                queue.cancel(token)
                // Cancelling it again has no effect.
                if Bool.random(using: &random) { queue.cancel(token) }
            default:
                now += UInt64.random(in: 0..<100, using: &random)
                fired = []
                while let work = queue.popDue(at: BootTime(nanoseconds: now)) { work() }
                let due = list.filter { $0.moment <= now }.sorted { ($0.moment, $0.number) < ($1.moment, $1.number) }
                list.removeAll { $0.moment <= now }
                #expect(fired == due.map(\.number))
            }
            #expect(queue.next?.nanoseconds == list.map(\.moment).min())
        }
    }
}

@Suite("The table of watches")
struct WatchTableTests {
    private let target = Target(.v4(IPv4Address(192, 0, 2, 1)))

    @Test func `has one watch for equal keys, and one for each that differ in anything`() {
        let keys = [
            RoutingKeys(), RoutingKeys(interface: Scope("eth0")), RoutingKeys(interface: Scope("eth1")),
            RoutingKeys(interface: Scope(number: 1)), RoutingKeys(interface: Scope(number: 2)),
            RoutingKeys(mark: 1), RoutingKeys(mark: 2), RoutingKeys(userID: 1), RoutingKeys(userID: 2),
            RoutingKeys(transport: .udp), RoutingKeys(port: 53), RoutingKeys(port: 80),
        ]
        var table = WatchTable()
        for key in keys {
            let (watch, isNew) = table.watch(target, key)
            #expect(isNew && watch.keys == key)
        }
        #expect(table.count == keys.count)
        for key in keys { #expect(!table.watch(target, key).isNew) }
    }

    @Test func `finds those whose addresses lie in the prefix of a route, and no others`() {
        var table = WatchTable()
        func watch(_ target: Target) { _ = table.watch(target, RoutingKeys()) }
        for number in 0..<50 { watch(.address(IPAddress(text: "192.0.2.\(number)"))) }
        for number in 0..<50 { watch(.address(IPAddress(text: "2001:db8::\(number)"))) }
        watch(.pair(local: IPAddress(text: "10.0.0.1"), remote: IPAddress(text: "192.0.2.200")))
        watch(.defaultPath)
        func count(_ prefix: String) -> Int {
            var count = 0
            table.forEach(in: Prefix(text: prefix)) { _ in count += 1 }
            #expect(table.hasAny(in: Prefix(text: prefix)) == (count > 0))
            return count
        }
        #expect(count("192.0.2.16/30") == 4)
        #expect(count("192.0.2.7/32") == 1)
        #expect(count("192.0.2.200/32") == 1 && count("10.0.0.0/8") == 1)
        #expect(count("0.0.0.0/1") == 2, "the pair's local side, and the default path")
        #expect(count("2001:db8::/126") == 4)
        #expect(count("2001:db8::/32") == 50)
        #expect(count("203.0.113.0/24") == 0)
        #expect(count("192.0.2.50/31") == 0 && count("2001:db8::8000/113") == 0)
        #expect(count("0.0.0.0/0") == 54 && count("::/0") == 52)
        // The second address of the pair is one of the fifty.
        watch(.pair(local: IPAddress(text: "10.0.0.1"), remote: IPAddress(text: "192.0.2.7")))
        #expect(Set(table.addresses(atMost: 106) ?? []).count == 106)
        #expect(table.addresses(atMost: 106)?.count == 106 && table.addresses(atMost: 105) == nil)
    }
}

@Suite("Subscribers")
struct SubscribersTests {
    @Test func `are all notified, each once, until they are removed`() {
        var subscribers = Subscribers.none
        let all = (0..<100).map { _ in IndifferentSubscriber() }
        func notified() -> [ObjectIdentifier] {
            var notified: [ObjectIdentifier] = []
            subscribers.forEach { notified.append(ObjectIdentifier($0)) }
            return notified.sorted()
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.add(subscriber)
            #expect(notified() == all[...number].map { ObjectIdentifier($0) }.sorted())
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.remove(IndifferentSubscriber())
            subscribers.remove(subscriber)
            #expect(notified() == all[(number + 1)...].map { ObjectIdentifier($0) }.sorted())
        }
        #expect(subscribers.isEmpty)
    }
}
