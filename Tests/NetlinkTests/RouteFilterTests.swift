// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite struct RouteFilterTests {
    private static let families: [[AddressFamily]] = [[.v4], [.v6], [.v4, .v6]]

    /// Addresses in clusters, as in practice, and far apart.
    private static func watchSet(
        _ count: Int, _ families: [AddressFamily], _ generator: inout SeededGenerator
    ) -> [IPAddress] {
        var addresses: [IPAddress] = []
        while addresses.count < count {
            let family = families.randomElement(using: &generator)!
            let fresh = generator.address(family)
            guard let old = addresses.randomElement(using: &generator), old.family == family,
                Bool.random(using: &generator)
            else {
                addresses.append(fresh)
                continue
            }
            let bits: UInt8 = family == .v4 ? 32 : 128
            addresses.append(splice(old, fresh, UInt8.random(in: 0...bits, using: &generator)))
        }
        return addresses
    }

    /// The first bits of one address before the rest of another.
    private static func splice(_ head: IPAddress, _ tail: IPAddress, _ length: UInt8) -> IPAddress {
        switch (head.masked(to: length), tail, tail.masked(to: length)) {
        case (.v4(let head), .v4(let tail), .v4(let cut)):
            .v4(IPv4Address(rawValue: head.rawValue | tail.rawValue ^ cut.rawValue))
        case (.v6(let head, _), .v6(let tail, _), .v6(let cut, _)):
            .v6(IPv6Address(high: head.high | tail.high ^ cut.high, low: head.low | tail.low ^ cut.low))
        default: head
        }
    }

    /// A prefix around a watched address, next to one, or anywhere.
    private static func prefix(
        near watched: [IPAddress], _ families: [AddressFamily], _ generator: inout SeededGenerator
    ) -> Prefix {
        let family = families.randomElement(using: &generator)!
        let bits: UInt8 = family == .v4 ? 32 : 128
        let length = UInt8.random(in: 0...bits, using: &generator)
        let fresh = generator.address(family)
        guard let old = watched.randomElement(using: &generator), old.family == family else {
            return Prefix(fresh, length: length)
        }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: return Prefix(old, length: length)
        case 1: return Prefix(splice(old, fresh, length > 2 ? length - 2 : 0), length: length)
        default: return Prefix(fresh, length: length)
        }
    }

    @Test(arguments: [0, 1, 5, RouteFilter.mostAddresses], families)
    func `the announcements of routes that contain a watched address pass, and no others`(
        count: Int, families: [AddressFamily]
    ) {
        for seed in 0..<8 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed << 32 | UInt64(count))
            let watched = Self.watchSet(count, families, &generator)
            let program = RouteFilter.program(watching: watched)
            #expect(FilterMachine.objection(to: program) == nil)
            var machine = FilterMachine(program)
            for _ in 0..<300 {
                let prefix = Self.prefix(near: watched, families, &generator)
                let outcome = machine.run(.route(prefix, deleted: Bool.random(using: &generator)))
                // A default route has no destination in its announcement.
                let isWatched = prefix.length == 0 || watched.contains { prefix.contains($0.unmapped) }
                #expect(outcome == (isWatched ? .pass : .drop), "seed \(seed), \(prefix)")
            }
        }
    }

    @Test func `every length of prefix around one address passes, and its sibling is dropped`() {
        let address4 = IPv4Address(203, 0, 113, 77)
        let address6 = IPv6Address(high: 0x2001_0DB8_9ABC_DEF1, low: 0x8000_0000_0000_0001)
        var machine = FilterMachine(RouteFilter.program(watching: [.v4(address4), .v6(address6)]))
        for length in 1...32 as ClosedRange<UInt8> {
            #expect(machine.run(.route(Prefix(.v4(address4), length: length))) == .pass)
            let sibling = IPv4Address(rawValue: address4.rawValue ^ 1 << (32 - UInt32(length)))
            #expect(machine.run(.route(Prefix(.v4(sibling), length: length))) == .drop, "length \(length)")
        }
        for length in 1...128 as ClosedRange<UInt8> {
            #expect(machine.run(.route(Prefix(.v6(address6), length: length))) == .pass)
            let bit = 128 - Int(length)
            let sibling = IPv6Address(
                high: address6.high ^ (bit < 64 ? 0 : 1 << UInt64(bit - 64)),
                low: address6.low ^ (bit < 64 ? 1 << UInt64(bit) : 0))
            #expect(machine.run(.route(Prefix(.v6(sibling), length: length))) == .drop, "length \(length)")
        }
    }

    @Test func `a mapped IPv4 address is watched among IPv4 routes, and a scope does not matter`() {
        let mapped = IPAddress.v6(IPv6Address(high: 0, low: 0xFFFF_CB00_714D))
        let scoped = IPAddress.v6(IPv6Address(high: 0xFE80_0000_0000_0000, low: 1), scope: Scope(number: 3))
        var machine = FilterMachine(RouteFilter.program(watching: [mapped, scoped]))
        #expect(machine.run(.route(Prefix(.v4(IPv4Address(203, 0, 113, 0)), length: 24))) == .pass)
        #expect(machine.run(.route(Prefix(.v4(IPv4Address(203, 0, 112, 0)), length: 24))) == .drop)
        #expect(machine.run(.route(Prefix(scoped, length: 64))) == .pass)
    }

    @Test func `the first and the last address of each family are watched like others`() {
        let ends: [IPAddress] = [
            .v4(.any), .v4(IPv4Address(rawValue: .max)), .v6(.any), .v6(IPv6Address(high: .max, low: .max)),
        ]
        var machine = FilterMachine(RouteFilter.program(watching: ends))
        for end in ends {
            for length in 1...(end.family == .v4 ? 32 : 128) as ClosedRange<UInt8> {
                #expect(machine.run(.route(Prefix(end, length: length))) == .pass)
            }
        }
        #expect(machine.run(.route(Prefix(.v4(IPv4Address(127, 0, 0, 0)), length: 8))) == .drop)
    }

    @Test func `a route message with any unexpected part passes`() {
        var machine = FilterMachine(RouteFilter.program(watching: []))
        let usual: [UInt8] = .route(Prefix(.v4(IPv4Address(10, 0, 0, 0)), length: 8))
        #expect(machine.run(usual) == .drop)
        // Family, length, RTA_TABLE's header, RTA_DST's header, nlmsg_len.
        for (offset, value) in [(16, 128), (17, 0), (17, 33), (28, 9), (30, 16), (36, 12), (38, 2), (0, 44), (3, 1)] {
            var message = usual
            message[offset] = UInt8(value)
            #expect(machine.run(message) == .pass, "\(value) at \(offset)")
        }
        #expect(machine.run(usual + usual) == .pass)
        let six: [UInt8] = .route(Prefix(.v6(.loopback), length: 128))
        #expect(machine.run(six) == .drop)
        var long = six
        long[17] = 129
        #expect(machine.run(long) == .pass)
        // Up to the end of the destination's attribute.
        for (message, enough) in [(usual, 44), (six, 56)] {
            for length in 0..<message.count {
                var part = Array(message[..<length])
                if length >= 4 { part.replace(at: 0, with: UInt32(length)) }
                #expect(machine.run(part) == (length < enough ? .pass : .drop), "\(length) of \(message.count) bytes")
            }
        }
    }

    @Test func `arbitrary bytes never make the program fault`() {
        var generator = SeededGenerator(seed: 7)
        let watched = Self.watchSet(50, [.v4, .v6], &generator)
        var machine = FilterMachine(RouteFilter.program(watching: watched))
        let seeds = ["routeAdded4", "routeAdded6"].map(Recordings.announcement)
        for _ in 0..<5000 {
            var message = seeds.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                message[Int.random(in: 0..<60, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            message = Array(message.prefix(Int.random(in: 0...message.count, using: &generator)))
            let outcome = machine.run(message)
            #expect(outcome == .pass || outcome == .drop)
        }
    }
}
