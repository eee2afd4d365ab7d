// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import Testing

@testable import ReachabilityKit

@Suite("The timer of routes that end", .timeLimit(.minutes(10)))
struct ExpiryTimerTests {
    /// Watches by what they are called, and their timer. Touched on the loop's thread only.
    private final class Watched: @unchecked Sendable {
        let held: HeldLoop
        let watches: [String: WatchedTarget]
        private(set) var timer: ExpiryTimer!

        init(_ held: HeldLoop, _ names: [String]) {
            self.held = held
            let addresses = (0..<UInt32(names.count)).map { IPAddress.v4(IPv4Address(rawValue: 0xC000_0200 + $0)) }
            watches = Dictionary(
                uniqueKeysWithValues: zip(
                    names, addresses.map { WatchedTarget(target: Target($0), keys: RoutingKeys()) }))
            timer = ExpiryTimer(held.loop) { [unowned self] in
                let ended = timer.popExpired(of: watches.values)
                for (name, watch) in watches.sorted(by: { $0.key < $1.key })
                where ended.contains(where: { $0 === watch }) {
                    held.note(name)
                }
            }
        }

        /// The kernel says that a watch's route ends in so many seconds.
        func note(_ name: String, endsIn seconds: UInt32) {
            var timed = TimedVerdict(verdict: Verdict(flags: .reachable, reason: .onLink))
            timed.lifetime = .ends(inTicks: seconds * UInt32(clockTicksPerSecond))
            timer.note(timed, for: watches[name]!)
        }
    }

    @Test func `fires for each of several routes when its time has come`() throws {
        let held = try HeldLoop()
        defer { held.loop.stop() }
        let watched = Watched(held, ["a", "b", "c", "d"])
        try held.run { _ in
            for (name, seconds) in [("c", 30), ("a", 10), ("b", 20), ("d", 20)] as [(String, UInt32)] {
                watched.note(name, endsIn: seconds)
            }
        }
        var told: [[String]] = []
        for _ in 0..<3 {
            held.time.advance(.seconds(11))
            try held.run { _ in }
            told.append(held.words)
        }
        #expect(told == [["a"], ["a", "b", "d"], ["a", "b", "d", "c"]])
    }

    @Test func `goes on for a route that was renewed while it ran`() throws {
        let held = try HeldLoop()
        defer { held.loop.stop() }
        let watched = Watched(held, ["a"])
        try held.run { _ in
            watched.note("a", endsIn: 10)
            watched.note("a", endsIn: 20)
        }
        held.time.advance(.seconds(11))
        try held.run { _ in }
        #expect(held.words == [])
        held.time.advance(.seconds(11))
        try held.run { _ in }
        #expect(held.words == ["a"])
    }
}
