// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import Synchronization
import TestWaiting
import Testing

@Suite("A verdict cache", .timeLimit(.minutes(10)))
struct VerdictCacheTests {
    @Test("holds nothing at first")
    func empty() {
        let cache = VerdictCache()
        #expect(cache.load() == nil)
    }

    @Test("gives back what was put in last")
    func stores() {
        let cache = VerdictCache()
        for number in 1...100 as ClosedRange<UInt64> {
            let entry = Self.entry(number)
            cache.store(entry)
            #expect(cache.load() == entry)
        }
    }

    @Test("keeps an empty verdict apart from no verdict")
    func emptyFlags() {
        let cache = VerdictCache()
        cache.store(.init(flags: [], generation: 0, deadline: 0, isProvisional: false))
        #expect(cache.load()?.flags == [])
    }

    /// Every field follows from the number, so that a mixture of two entries is recognised.
    private static func entry(_ number: UInt64) -> VerdictCache.Entry {
        VerdictCache.Entry(
            flags: ReachabilityFlags(rawValue: UInt32(truncatingIfNeeded: number & 0x7FFF_FFFF)),
            generation: number &* 0x9E37_79B9_7F4A_7C15, deadline: ~number, isProvisional: number & 1 == 1)
    }

    private final class Shared: Sendable {
        let cache = VerdictCache()
        let isDone = Atomic(false)
        let seen = Atomic(0)
        let torn = Atomic(0)
    }

    @Test("is never seen half written, by four readers beside three writers")
    func concurrency() throws {
        let shared = Shared()
        let readers = try (0..<4).map { _ in
            try TestThread("reader") {
                while !shared.isDone.load(ordering: .relaxed) {
                    guard let entry = shared.cache.load() else { continue }
                    shared.seen.wrappingAdd(1, ordering: .relaxed)
                    if entry != Self.entry(~entry.deadline) { shared.torn.wrappingAdd(1, ordering: .relaxed) }
                }
            }
        }
        let writers = try (0..<3).map { writer in
            try TestThread("writer") {
                for number in 0..<60_000 as Range<UInt64> {
                    shared.cache.store(Self.entry(number * 3 + UInt64(writer)))
                }
            }
        }
        for writer in writers { try writer.join() }
        // What the last writer left is there for whoever reads now, so every reader gets to see something.
        try WaitLimit.wait(for: "a reader to see something") { shared.seen.load(ordering: .relaxed) > 0 }
        shared.isDone.store(true, ordering: .relaxed)
        for reader in readers { try reader.join() }
        #expect(shared.torn.load(ordering: .relaxed) == 0)
        // The cache survived: nobody left it locked.
        shared.cache.store(Self.entry(42))
        #expect(shared.cache.load() == Self.entry(42))
    }
}
