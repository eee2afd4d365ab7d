// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts
import TestTopology
import Testing

@testable import ReachabilityKit

private func milliseconds(_ count: UInt64) -> BootTime { BootTime(nanoseconds: count * 1_000_000) }

@Suite("Dirt")
struct DirtTests {
    @Test func `of routes is kept by prefix, each once`() {
        var dirt = Dirt()
        #expect(dirt.isEmpty)
        for _ in 0..<3 { dirt.add(.route(Prefix(text: "192.0.2.0/24"))) }
        dirt.add(.route(Prefix(text: "2001:db8::/32")))
        #expect(!dirt.everything)
        #expect(dirt.prefixes == [Prefix(text: "192.0.2.0/24"), Prefix(text: "2001:db8::/32")])
    }

    @Test(arguments: [Announcement.links, .addresses, .rules, .nextHops, .configuration, .other])
    func `of any other kind concerns everything`(announcement: Announcement) {
        var dirt = Dirt()
        dirt.add(.route(Prefix(text: "192.0.2.0/24")))
        dirt.add(announcement)
        #expect(dirt.everything && dirt.prefixes.isEmpty)
        dirt.add(.route(Prefix(text: "192.0.2.0/24")))
        #expect(dirt.everything && dirt.prefixes.isEmpty)
    }

    @Test func `of very many prefixes becomes everything`() {
        var dirt = Dirt()
        for number in 0..<UInt32(Dirt.prefixLimit) {
            dirt.add(.route(Prefix(.v4(IPv4Address(rawValue: number << 8)), length: 24)))
        }
        #expect(!dirt.everything)
        dirt.add(.route(Prefix(text: "203.0.113.0/24")))
        #expect(dirt.everything && dirt.prefixes.isEmpty)
    }

    @Test func `is gone once it was taken`() {
        var dirt = Dirt()
        dirt.addEverything()
        let (first, second) = (dirt.take(), dirt.take())
        #expect(first.everything && second.isEmpty && dirt.isEmpty)
    }
}

@Suite("Coalescing")
struct CoalescerTests {
    @Test func `has the first news looked at at once`() {
        let coalescer = Pace()
        #expect(coalescer.dirtArrived(at: milliseconds(1)) == .lookNow)
    }

    @Test func `has what follows closely looked at once, when the window ends`() {
        let coalescer = Pace()
        coalescer.looked(from: milliseconds(10), to: milliseconds(10))
        #expect(coalescer.dirtArrived(at: milliseconds(11)) == .lookAt(milliseconds(12)))
        #expect(coalescer.dirtArrived(at: milliseconds(11)) == .nothing)
        coalescer.momentCame()
        #expect(coalescer.dirtArrived(at: milliseconds(12)) == .lookNow)
    }

    @Test func `has what comes when the window has ended looked at at once`() {
        let coalescer = Pace()
        coalescer.looked(from: milliseconds(10), to: milliseconds(10))
        #expect(coalescer.dirtArrived(at: milliseconds(12)) == .lookNow)
    }

    @Test(arguments: [(took: 0 as UInt64, window: 2 as UInt64), (1, 3), (20, 60), (83, 249), (84, 250), (10_000, 250)])
    func `leaves three quarters of a processor to others, and is never late`(look: (took: UInt64, window: UInt64)) {
        let coalescer = Pace()
        let end = milliseconds(1000 + look.took)
        coalescer.looked(from: milliseconds(1000), to: end)
        #expect(coalescer.dirtArrived(at: end) == .lookAt(end.advanced(by: .milliseconds(Int64(look.window)))))
    }

    @Test func `cannot be postponed by a storm that never ends`() {
        let coalescer = Pace()
        var now = milliseconds(1)
        var due: BootTime?
        var lastLook = now
        var longestGap = Duration.zero
        // An event every 50 microseconds for ten seconds; a look takes 100 microseconds.
        while now < milliseconds(10_000) {
            var mustLook = false
            if let moment = due, moment <= now {
                coalescer.momentCame()
                (due, mustLook) = (nil, true)
            } else {
                switch coalescer.dirtArrived(at: now) {
                case .lookNow: mustLook = true
                case .lookAt(let moment): due = moment
                case .nothing: #expect(due != nil)
                }
            }
            if mustLook {
                let end = now.advanced(by: .microseconds(100))
                coalescer.looked(from: now, to: end)
                longestGap = max(longestGap, end.duration(since: lastLook))
                (lastLook, now) = (end, end)
            }
            now = now.advanced(by: .microseconds(50))
        }
        #expect(longestGap <= Coalescer.window + .microseconds(250))
    }
}

// In an object, since an expectation cannot change a value.

private final class Pace {
    private var coalescer = Coalescer()

    func dirtArrived(at now: BootTime) -> Coalescer.Action { coalescer.dirtArrived(at: now) }
    func momentCame() { coalescer.momentCame() }
    func looked(from start: BootTime, to end: BootTime) { coalescer.looked(from: start, to: end) }
}
