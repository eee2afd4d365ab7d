// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@testable import ReachabilityKit

private func milliseconds(_ count: UInt64) -> BootTime { BootTime(nanoseconds: count * 1_000_000) }

@Suite("Pending changes")
struct PendingChangesTests {
    @Test func `of routes are kept by prefix, each once`() {
        var changes = PendingChanges()
        #expect(changes.isEmpty)
        for _ in 0..<3 { changes.add(.route(Prefix(text: "192.0.2.0/24"))) }
        changes.add(.route(Prefix(text: "2001:db8::/32")))
        #expect(!changes.everything)
        #expect(changes.prefixes == [Prefix(text: "192.0.2.0/24"), Prefix(text: "2001:db8::/32")])
    }

    @Test(arguments: [Announcement.links, .addresses, .rules, .nextHops, .configuration, .other])
    func `of any other kind concern everything`(announcement: Announcement) {
        var changes = PendingChanges()
        changes.add(.route(Prefix(text: "192.0.2.0/24")))
        changes.add(announcement)
        #expect(changes.everything && changes.prefixes.isEmpty)
        changes.add(.route(Prefix(text: "192.0.2.0/24")))
        #expect(changes.everything && changes.prefixes.isEmpty)
    }

    @Test func `of very many prefixes become everything`() {
        var changes = PendingChanges()
        for number in 0..<UInt32(PendingChanges.prefixLimit) {
            changes.add(.route(Prefix(.v4(IPv4Address(rawValue: number << 8)), length: 24)))
        }
        #expect(!changes.everything)
        changes.add(.route(Prefix(text: "203.0.113.0/24")))
        #expect(changes.everything && changes.prefixes.isEmpty)
    }

    @Test func `are removed together`() {
        var changes = PendingChanges()
        changes.addEverything()
        let (first, second) = (changes.removeAll(), changes.removeAll())
        #expect(first.everything && second.isEmpty && changes.isEmpty)
    }
}

@Suite("Coalescing")
struct CoalescerTests {
    @Test func `looks at the first change at once`() {
        let coalescer = Pace()
        #expect(coalescer.changesArrived(at: milliseconds(1)) == .lookNow)
    }

    @Test func `looks at the changes that follow closely together, when the window ends`() {
        let coalescer = Pace()
        coalescer.lookEnded(from: milliseconds(10), to: milliseconds(10))
        #expect(coalescer.changesArrived(at: milliseconds(11)) == .lookAt(milliseconds(12)))
        #expect(coalescer.changesArrived(at: milliseconds(11)) == .nothing)
        coalescer.timerFired()
        #expect(coalescer.changesArrived(at: milliseconds(12)) == .lookNow)
    }

    @Test func `looks at once when the window has ended`() {
        let coalescer = Pace()
        coalescer.lookEnded(from: milliseconds(10), to: milliseconds(10))
        #expect(coalescer.changesArrived(at: milliseconds(12)) == .lookNow)
    }

    @Test(arguments: [(took: 0 as UInt64, window: 2 as UInt64), (1, 3), (20, 60), (83, 249), (84, 250), (10_000, 250)])
    func `leaves three quarters of a processor free, and is never late`(look: (took: UInt64, window: UInt64)) {
        let coalescer = Pace()
        let end = milliseconds(1000 + look.took)
        coalescer.lookEnded(from: milliseconds(1000), to: end)
        #expect(coalescer.changesArrived(at: end) == .lookAt(end.advanced(by: .milliseconds(Int64(look.window)))))
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
                coalescer.timerFired()
                (due, mustLook) = (nil, true)
            } else {
                switch coalescer.changesArrived(at: now) {
                case .lookNow: mustLook = true
                case .lookAt(let moment): due = moment
                case .nothing: #expect(due != nil)
                }
            }
            if mustLook {
                let end = now.advanced(by: .microseconds(100))
                coalescer.lookEnded(from: now, to: end)
                longestGap = max(longestGap, end.duration(since: lastLook))
                (lastLook, now) = (end, end)
            }
            now = now.advanced(by: .microseconds(50))
        }
        #expect(longestGap <= Coalescer.window + .microseconds(250))
    }
}

/// The coalescer in an object, because an expectation cannot change a value.
private final class Pace {
    private var coalescer = Coalescer()

    func changesArrived(at now: BootTime) -> Coalescer.Action { coalescer.changesArrived(at: now) }
    func timerFired() { coalescer.timerFired() }
    func lookEnded(from start: BootTime, to end: BootTime) { coalescer.lookEnded(from: start, to: end) }
}
