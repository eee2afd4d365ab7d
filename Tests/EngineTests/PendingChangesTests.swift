// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@testable import ReachabilityKit

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
