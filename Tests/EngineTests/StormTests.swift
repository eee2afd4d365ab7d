// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import Glibc
import ReachabilityLinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import ReachabilityNetlink
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("In a storm", .timeLimit(.minutes(10)), .serialized, .needs(.namespaces))
struct StormTests {
    /// A hundred watched addresses, the fence among them, behind one gateway. So many the filter takes.
    private struct Hundred {
        let network: WatchedNetwork
        let references: [ReachabilityRef]
        let recorders: [CallbackRecorder]

        init(announcementQueueBytes: Int32? = nil) throws {
            let network = try WatchedNetwork(
                "10.0.0.1/24", "route add default via 10.0.0.254", announcementQueueBytes: announcementQueueBytes)
            self.network = network
            references = try (0..<99).map { try network.reference("192.0.2.\($0)") }
            recorders = references.map { _ in CallbackRecorder() }
            for (reference, recorder) in zip(references, recorders) { try network.watch(reference, on: recorder) }
            try network.settle()
        }

        var statistics: ReachabilityStatistics { references[0].statistics }

        /// Only this address was called back, and the answers of all are right.
        func check(_ changed: Int, flags: ReachabilityFlags) throws {
            #expect(try recorders[changed].next() == flags)
            try network.settle()
            for (number, recorder) in recorders.enumerated() {
                try recorder.finishDeliveries()
                #expect(recorder.untaken == 0, "192.0.2.\(number)")
                #expect(try references[number].getFlags() == (number == changed ? flags : .reachable))
            }
        }
    }

    /// Three, or as many as the environment says.
    private static let storms = unsafe getenv("REACHABILITY_STORMS").flatMap { unsafe Int(String(cString: $0)) } ?? 3

    @Test func `of other routes the process is woken only a few times, and the one change is noticed`() throws {
        let hundred = try Hundred()
        let changer = try Changer(in: hundred.network.topology)
        let additions = (0..<1000).map { Change.route(.add, "10.77.\($0 / 256).\($0 % 256)/32", via: "10.0.0.254") }
        let deletions = (0..<1000).map { Change.route(.delete, "10.77.\($0 / 256).\($0 % 256)/32") }
        // The first few are read.
        for change in additions + deletions { try changer.apply(change) }
        try hundred.network.settle()
        #expect(try hundred.network.isFiltering)
        try hundred.network.finishRechecks()
        for storm in 0..<Self.storms {
            let before = hundred.statistics
            let changed = storm * 31 % 99
            let barrier = Change.route(.add, "192.0.2.\(changed)/32", kind: .unreachable)
            for round in 0..<100 {
                for change in additions { try changer.apply(change) }
                if round == 50 { try changer.apply(barrier) }
                for change in deletions { try changer.apply(change) }
            }
            try hundred.check(changed, flags: [])
            let after = hundred.statistics
            // The change, the two that mark the end, and the one that ended the storm before. Each is looked at again.
            #expect(after.events - before.events <= 10)
            #expect(after.evaluationPasses - before.evaluationPasses <= 4 * (1 + 2))
            #expect(after.overruns == before.overruns)
            try changer.apply(.route(.delete, "192.0.2.\(changed)/32", kind: .unreachable))
            #expect(try hundred.recorders[changed].next() == .reachable)
        }
    }

    /// As each router advertisement and each DHCP lease does.
    @Test(arguments: ["10.0.0.1/24", "2001:db8::1/64"])
    func `of renewed lifetimes nothing is looked at`(address: String) throws {
        // Up to Linux 6.18 an IPv6 route ends at once where an address gets a lifetime that had none.
        let network = try WatchedNetwork(
            address, "address delete \(address) dev eth0",
            "address add \(address) dev eth0 valid_lft 900 preferred_lft 900 nodad")
        let reference = try network.watch(address.contains(":") ? "2001:db8::7" : "10.0.0.7")
        func renew(_ seconds: Int) throws {
            try network.topology.ip("address change \(address) dev eth0 valid_lft \(seconds) preferred_lft \(seconds)")
        }
        // What was announced before the engine began, it does not know.
        try renew(900)
        try network.settle()
        try network.finishRechecks()
        let engine = try network.engine
        let before = reference.statistics
        // The end of an IPv6 route; nothing else.
        let due = try engine.afterwards { engine.core.agenda.next }
        for seconds in 901...910 { try renew(seconds) }
        try WaitLimit.wait(for: "the announcements to be read") { reference.statistics.events - before.events >= 10 }
        #expect(try engine.afterwards { engine.core.agenda.next } == due)
        #expect(reference.statistics.evaluationPasses == before.evaluationPasses)
        #expect(try reference.getFlags().isReachable)
        // A deprecated address is another.
        try network.topology.ip("address change \(address) dev eth0 valid_lft 900 preferred_lft 0")
        try WaitLimit.wait(for: "a look") { reference.statistics.evaluationPasses > before.evaluationPasses }
    }

    @Test func `of other routes nothing is looked at beside more addresses than the filter takes`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let references = try (0..<150).map { try network.watch("192.0.2.\($0)") }
        var statistics: ReachabilityStatistics { references[0].statistics }
        try network.settle()
        try network.finishRechecks()
        let changer = try Changer(in: network.topology)
        let before = statistics
        for round in 1...20 {
            for number in 0..<50 { try changer.apply(.route(.add, "10.77.0.\(number)/32", via: "10.0.0.254")) }
            for number in 0..<50 { try changer.apply(.route(.delete, "10.77.0.\(number)/32")) }
            // The queue never has more than one round.
            try WaitLimit.wait(for: "the announcements to be read") { statistics.events - before.events >= round * 100 }
        }
        #expect(try !network.isFiltering)
        #expect(statistics.evaluationPasses == before.evaluationPasses)
        let engine = try network.engine
        #expect(try engine.afterwards { engine.core.agenda.next } == .distantFuture)
        try changer.apply(.route(.add, "192.0.2.149/32", kind: .unreachable))
        #expect(try network.recorder.next() == [])
    }

    @Test func `that overruns the queue only announcements are lost, and losses are counted`() throws {
        // The queue has room for two or three announcements.
        let hundred = try Hundred(announcementQueueBytes: 1)
        let changer = try Changer(in: hundred.network.topology)
        for storm in 0..<Self.storms {
            let before = hundred.statistics
            // The engine's thread is blocked while the queue overruns, as on a busy machine.
            let freed = try hundred.network.engine.loop.block()
            for number in 0..<100 {
                try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254", metric: UInt32(1000 + number)))
            }
            let changed = storm * 17 % 99
            try changer.apply(.route(.add, "192.0.2.\(changed)/32", kind: .unreachable))
            freed.signal()
            // The storm goes on while the engine reads. Each announcement passes the filter, and none changes an answer.
            for _ in 0..<5 {
                for number in 100..<1100 {
                    try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254", metric: UInt32(1000 + number)))
                }
                for number in 100..<1100 {
                    try changer.apply(.route(.delete, "192.0.2.0/24", metric: UInt32(1000 + number)))
                }
            }
            try hundred.check(changed, flags: [])
            #expect(hundred.statistics.overruns > before.overruns)
            try changer.apply(.route(.delete, "192.0.2.\(changed)/32", kind: .unreachable))
            #expect(try hundred.recorders[changed].next() == .reachable)
            for number in 0..<100 {
                try changer.apply(.route(.delete, "192.0.2.0/24", metric: UInt32(1000 + number)))
            }
        }
    }
}

@Suite("The kernel's queue of announcements", .timeLimit(.minutes(10)), .needs(.namespaces))
struct OverrunTests {
    @Test func `is emptied by the feed, which then knows that anything may have changed`() throws {
        let topology = try Topology()
        let changer = try Changer(in: topology)
        let feed = try topology.run { () throws(Errno) in SentToLoop(try AnnouncementSocket(queueBytes: 1)) }.value
        func change(_ number: Int) throws(Errno) {
            try changer.apply(.route(.add, "10.9.0.\(number)/32", through: InterfaceIndex(1), kind: .unicast))
        }
        for number in 0..<20 { try change(number) }
        var meanwhile = false
        let tally = try feed.drain { _ in
            // A second loss, which the kernel does not report.
            if !meanwhile { try? change(100) }
            meanwhile = true
        }
        #expect(meanwhile && !tally.isComplete && tally.overruns >= 1)
        // From here on nothing is lost.
        try change(101)
        var heard: [Announcement] = []
        let next = try feed.drain { heard.append($0) }
        #expect(next.isComplete && next.overruns == 0 && next.events == 1)
        #expect(heard == [.route(Prefix(text: "10.9.0.101/32"))])
    }

    /// A link that is announced as it was before a loss may have been another in between.
    @Test func `that has overrun makes news of what was known`() throws {
        let topology = try Topology.wired()
        let (changer, eth0) = (try Changer(in: topology), try topology.index(of: "eth0"))
        let feed = try topology.run { () throws(Errno) in SentToLoop(try AnnouncementSocket(queueBytes: 1 << 14)) }
            .value
        func heard(after changes: () throws -> Void) throws -> [Announcement] {
            try changes()
            var heard: [Announcement] = []
            _ = try feed.drain { heard.append($0) }
            return heard
        }
        func setDormant(_ isDormant: Bool) throws { try changer.apply(.link(eth0, dormant: isDormant)) }
        for isDormant in [true, false] { #expect(try heard { try setDormant(isDormant) }.contains(.links)) }
        let overrun = try heard {
            for number in 0..<400 {
                try changer.apply(
                    .route(.add, "10.9.\(number / 256).\(number % 256)/32", through: InterfaceIndex(1), kind: .unicast))
            }
            try setDormant(true)
        }
        #expect(!overrun.contains(.links))
        #expect(try heard { try setDormant(false) }.contains(.links))
    }

    /// The kernel sends neither. But what cannot be read may have been anything.
    @Test(arguments: [(sent: 40, declared: 40 as UInt32), (8193, 8193), (40, 41), (40, 15), (12, 12)])
    func `with a message that is cut or malformed says that anything may have changed`(
        message: (sent: Int, declared: UInt32)
    ) throws {
        let topology = try Topology()
        let feed = try topology.run { () throws(Errno) in SentToLoop(try AnnouncementSocket()) }.value
        var bytes = [UInt8](repeating: 0, count: message.sent)
        // NLMSG_NOOP of netlink(7), which is about nothing.
        bytes[4] = 1
        for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: message.declared >> (8 * place)) }
        let status = topology.run { unsafe topology_feed(feed.rawDescriptor, bytes, bytes.count) }
        #expect(status == 0)
        let tally = try feed.drain { _ in }
        #expect(tally.events == 1 && tally.isComplete == (message.sent == 40 && message.declared == 40))
    }

    @Test func `that has overrun is emptied in parts, and then says so`() throws {
        let topology = try Topology()
        let changer = try Changer(in: topology)
        let feed = try topology.run { () throws(Errno) in SentToLoop(try AnnouncementSocket(queueBytes: 1 << 18)) }
            .value
        for number in 0..<4_000 {
            try changer.apply(.route(.add, "10.9.\(number / 256).\(number % 256)/32", kind: .blackhole))
        }
        var parts = [try feed.drain { _ in }]
        while let last = parts.last, last.events > 0, parts.count < 100 { parts.append(try feed.drain { _ in }) }
        #expect(parts.count > 2 && parts[0].overruns == 1)
        #expect(parts.allSatisfy { $0.events <= AnnouncementSocket.largestPart })
        // Once it was empty, and not before.
        let emptied = parts.firstIndex { $0.events < AnnouncementSocket.largestPart }
        #expect(parts.indices.filter { !parts[$0].isComplete } == [emptied])
    }

    @Test func `is read in parts, which do not end with an announcement that others follow for ever`() throws {
        let topology = try Topology()
        let changer = try Changer(in: topology)
        let feed = try topology.run { () throws(Errno) in SentToLoop(try AnnouncementSocket()) }.value
        func change(_ number: Int) throws(Errno) {
            try changer.apply(.route(.add, "10.9.\(number / 256).\(number % 256)/32", kind: .blackhole))
        }
        let part = AnnouncementSocket.largestPart
        for number in 0..<part { try change(number) }
        // Each announcement that is read has another as a consequence.
        var last = part
        let first = try feed.drain { _ in
            last += 1
            try? change(last)
        }
        #expect(first.isComplete && first.events == part)
        let (second, third) = (try feed.drain { _ in }, try feed.drain { _ in })
        #expect(second.isComplete && second.events == part && third.events == 0)
    }
}
