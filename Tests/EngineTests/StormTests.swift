// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import Glibc
import ReachabilityLinuxSystem
import TestTopology
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

extension Machine {
    /// A socket for the announcements of this machine's kernel.
    func announcementSocket(queueBytes: Int32 = AnnouncementSocket.queueBytes) throws(Errno) -> AnnouncementSocket {
        try run { () throws(Errno) in
            SentToLoop(AnnouncementSocket(try NetlinkSocket(announcementQueueBytes: queueBytes)))
        }.value
    }
}

@Suite("The kernel's queue of announcements", .timeLimit(.minutes(10)), .needs(.namespaces))
struct OverrunTests {
    @Test func `is emptied by the feed, which then knows that anything may have changed`() throws {
        let topology = try Machine()
        let changer = try Changer(in: topology)
        let feed = try topology.announcementSocket(queueBytes: 1)
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

    /// The kernel sends neither. But what cannot be read may have been anything.
    @Test(arguments: [(sent: 40, declared: 40 as UInt32), (8193, 8193), (40, 41), (40, 15), (12, 12)])
    func `with a message that is cut or malformed says that anything may have changed`(
        message: (sent: Int, declared: UInt32)
    ) throws {
        let topology = try Machine()
        let feed = try topology.announcementSocket()
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
        let topology = try Machine()
        let changer = try Changer(in: topology)
        let feed = try topology.announcementSocket(queueBytes: 1 << 18)
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
        let topology = try Machine()
        let changer = try Changer(in: topology)
        let feed = try topology.announcementSocket()
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
