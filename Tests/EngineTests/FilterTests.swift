// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// A network without links, in which the test alone changes routes, and one watched address.
private final class QuietNetwork {
    let network: WatchedNetwork
    let changer: Changer
    private var foreignRoutes = 0

    init(watching text: String = "192.0.2.1") throws {
        network = try WatchedNetwork()
        changer = try Changer(in: network.topology)
        try network.watch(text)
        try network.settle()
    }

    /// Adds routes that concern no watched target.
    func addForeignRoutes(_ count: Int = AnnouncementReader.unneededBeforeFilter) throws {
        for _ in 0..<count {
            foreignRoutes += 1
            let address = "10.9.\(foreignRoutes / 256).\(foreignRoutes % 256)"
            try changer.apply(.route(.add, "\(address)/32", kind: .blackhole))
        }
    }

    /// Has the filter attached, once the looks that would find what it holds back are over.
    func filter() throws {
        // What was asked for before is watched then.
        try network.settle()
        // A new link's announcements may divide them.
        try addForeignRoutes(4 * AnnouncementReader.unneededBeforeFilter)
        try network.settle()
        try network.finishRechecks()
        #expect(try network.isFiltering)
    }

    /// How many announcements are read while `body` changes something.
    func events(_ body: () throws -> Void) throws -> Int {
        let counters = try network.engine.core.counters
        let before = counters.snapshot.events
        try body()
        try network.settle()
        // Without the two of the fence.
        return counters.snapshot.events - before - 2
    }
}

@Suite("The kernel's filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterTests {
    @Test func `is attached after a row of announcements that concern no watched target, which then are not read`()
        throws
    {
        let quiet = try QuietNetwork()
        let row = AnnouncementReader.unneededBeforeFilter
        try quiet.addForeignRoutes(row - 1)
        // What concerns a watched target ends the row.
        try quiet.network.settle()
        #expect(try quiet.events { try quiet.addForeignRoutes(row - 1) } == row - 1)
        #expect(try !quiet.network.isFiltering)
        #expect(try quiet.events { try quiet.addForeignRoutes(row) } == row)
        #expect(try quiet.network.isFiltering)
        #expect(try quiet.events { try quiet.addForeignRoutes(100) } == 0)
        #expect(try quiet.network.isFiltering)
    }

    @Test func `is attached too if the row is followed by one that concerns a watched target before it is read`() throws
    {
        let quiet = try QuietNetwork()
        let freed = try quiet.network.engine.loop.block()
        try quiet.addForeignRoutes()
        try quiet.changer.apply(.route(.add, "192.0.2.1/32", kind: .prohibit))
        freed.signal()
        try quiet.network.settle()
        #expect(try quiet.network.isFiltering)
    }

    @Test(arguments: ["203.0.113.1", "2001:db8::1", "::ffff:203.0.113.1", "203.0.113.1 via lo"])
    func `is taken away for another address, before that is looked up`(text: String) throws {
        let quiet = try QuietNetwork()
        try quiet.filter()
        let words = text.split(separator: " ")
        let reference = try quiet.network.reference(String(words[0])) { options in
            if words.count > 1 { options.interface = "lo" }
        }
        try quiet.network.watch(reference)
        #expect(try !quiet.network.isFiltering)
        try quiet.network.finishRechecks()
        let prefix = words[0].hasPrefix("2001") ? "2001:db8::/48" : "203.0.113.0/24"
        try quiet.network.topology.ip("route add local \(prefix) dev lo")
        #expect(try quiet.network.recorder.next().contains(.reachable))
        // Attached again, it knows the address.
        try quiet.filter()
        try quiet.network.topology.ip("route del local \(prefix) dev lo")
        #expect(try quiet.network.recorder.next() == [])
    }

    @Test func `stays for one more reference to an address that it knows`() throws {
        let quiet = try QuietNetwork()
        try quiet.filter()
        try quiet.network.watch("192.0.2.1")
        #expect(try quiet.network.isFiltering)
    }

    @Test func `is taken away for the path, before that is looked up`() throws {
        let quiet = try QuietNetwork()
        try quiet.network.topology.wire("eth0", address: "10.0.0.1/24")
        try quiet.filter()
        let engine = try quiet.network.engine
        let recorder = PathRecorder()
        engine.addToPath(recorder)
        #expect(try recorder.next().ipv4 == nil)
        #expect(try !quiet.network.isFiltering)
        try quiet.network.finishRechecks()
        // Half of a default route.
        try quiet.network.topology.ip("route add 0.0.0.0/1 via 10.0.0.254")
        try recorder.next { $0.ipv4 != nil }
        // Attached again, it knows of the path.
        try quiet.filter()
        try quiet.network.topology.ip("route del 0.0.0.0/1")
        try recorder.next { $0.ipv4 == nil }
        engine.removeFromPath(recorder)
    }

    @Test func `can be taken away where there is none`() throws {
        let feed = try Machine().announcementSocket()
        #expect(throws: Never.self) { try feed.watchEverything() }
    }

    @Test func `is not attached for more addresses than it takes, until enough are gone`() throws {
        let quiet = try QuietNetwork()
        // With the fence and the address that is watched already there is one too many.
        let others = try (0..<RouteFilter.mostAddresses - 1).map { number in
            try quiet.network.watch("203.0.113.\(number)", on: CallbackRecorder())
        }
        try quiet.network.settle()
        try quiet.addForeignRoutes(100)
        try quiet.network.settle()
        #expect(try !quiet.network.isFiltering)
        try others[0].setDispatchQueue(nil)
        // Where the engine has looked meanwhile, the filter is attached before the route is announced.
        #expect(try quiet.events { try quiet.addForeignRoutes(1) } <= 1)
        #expect(try quiet.network.isFiltering)
    }

    @Test func `passes everything but routes, and the default route`() throws {
        let quiet = try QuietNetwork()
        let (network, topology) = (quiet.network, quiet.network.topology)
        try topology.wire("eth0", address: "10.0.0.1/24", "2001:db8:1::1/64")
        try topology.ip("route add unreachable 192.0.2.0/24 table 77")
        try network.watch("2001:db8:2::1")
        try quiet.filter()
        try topology.ip("nexthop add id 7 via 10.0.0.254 dev eth0")
        try topology.ip("route add default nhid 7")
        #expect(try network.recorder.next() == .reachable)
        try topology.ip("rule add to 192.0.2.0/24 table 77")
        #expect(try network.recorder.next() == [])
        try topology.ip("rule del to 192.0.2.0/24 table 77")
        #expect(try network.recorder.next() == .reachable)
        // The kernel announces no route that goes with the object.
        try topology.ip("nexthop del id 7")
        #expect(try network.recorder.next() == [])
        try topology.ip("-6 route add default via 2001:db8:1::2")
        #expect(try network.recorder.next() == .reachable)
        try topology.ip("link set eth0 down")
        #expect(try network.recorder.next() == [])
        #expect(try network.isFiltering)
    }

    @Test func `is taken away for a new address of a watched name`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", ttl: 1))
        let changer = try Changer(in: network.topology)
        let reference = try network.watch("a.test")
        #expect(try network.recorder.next() == .reachable)
        let engine = try #require(reference.namespace.sharedEngine.present)
        for number in 0..<200 { try changer.apply(.route(.add, "10.9.0.\(number)/32", kind: .blackhole)) }
        try WaitLimit.wait(for: "the filter") {
            (try? engine.afterwards { engine.core.announcements.isFiltering }) == true
        }
        network.server.setScript(NamedNetwork.answering("203.0.113.1", ttl: 3600))
        try WaitLimit.wait(for: "the other address") {
            let watched = try? engine.afterwards { engine.core.watchedAddresses(atMost: 100) }
            return watched?.contains(IPAddress(text: "203.0.113.1")) == true
        }
        #expect(try !engine.afterwards { engine.core.announcements.isFiltering })
        try network.topology.ip("route add unreachable 203.0.113.1")
        #expect(try network.recorder.next(where: { $0 == [] }) == [])
    }

    /// Watches come and go at random between changes of other routes. After each step the answer of one watched address changes,
    /// and is told.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `never holds back what is watched`(seed: UInt64) throws {
        let quiet = try QuietNetwork()
        var random = SeededGenerator(seed: seed)
        var watched: [Int: (reference: ReachabilityRef, recorder: CallbackRecorder)] = [:]
        var (attached, taken) = (0, 0)
        for _ in 0..<150 {
            let number = Int.random(in: 0..<30, using: &random)
            let wasFiltering = try quiet.network.isFiltering
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                guard watched[number] == nil else { break }
                let recorder = CallbackRecorder()
                watched[number] = (try quiet.network.watch("203.0.113.\(number)", on: recorder), recorder)
                let isFiltering = try quiet.network.isFiltering
                #expect(!isFiltering)
                if wasFiltering { taken += 1 }
            case 1: try watched.removeValue(forKey: number)?.reference.setDispatchQueue(nil)
            default:
                try quiet.addForeignRoutes(Int.random(in: 1..<20, using: &random))
                try quiet.network.settle()
                if try !wasFiltering && quiet.network.isFiltering { attached += 1 }
            }
            guard let one = watched.keys.sorted().randomElement(using: &random), let recorder = watched[one]?.recorder
            else { continue }
            try quiet.network.topology.ip("route add local 203.0.113.\(one) dev lo")
            #expect(try recorder.next().contains(.reachable))
            try quiet.network.topology.ip("route del local 203.0.113.\(one) dev lo")
            #expect(try recorder.next() == [])
        }
        #expect(attached > 3 && taken > 3)
    }
}

@Suite("If the kernel refuses the filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterFaultTests {
    // In Swift 6.2 the body of an exit test captures nothing, so each has a test of its own.

    @Test func `all is read, and it is tried again`() async {
        await #expect(processExitsWith: .success) {
            let quiet = try QuietNetwork()
            // The routes may be read in several passes, each of which tries it. A new link's announcements may divide them.
            FaultInjection.fail(.setOption, with: .outOfMemory, times: .max)
            try quiet.addForeignRoutes(4 * AnnouncementReader.unneededBeforeFilter)
            try quiet.network.settle()
            try #require(try !quiet.network.isFiltering)
            FaultInjection.reset()
            try quiet.addForeignRoutes(4 * AnnouncementReader.unneededBeforeFilter)
            try quiet.network.settle()
            try #require(try quiet.network.isFiltering)
        }
    }

    @Test func `changes of an address watched later come through, if it cannot be removed`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 1) }
    }

    @Test func `changes still come through if no other feed can be opened at once either`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 3) }
    }

    /// The attached filter does not know the second address.
    private static func changesComeThrough(failures: Int) throws {
        let quiet = try QuietNetwork()
        try quiet.filter()
        let before = try quiet.network.engine.core.counters.snapshot.failures
        let found = ReceivedValues<ReachabilityFlags>()
        let reference = try quiet.network.reference("203.0.113.1")
        FaultInjection.fail(.setOption, with: .outOfMemory, times: failures)
        // Unlike scheduling, this asks nothing on this thread, whose question might need another socket.
        let token = try reference.observe { found.record($0.observation.flags) }
        try #require(try found.next() == [])
        try quiet.network.finishRechecks()
        try #require(try !quiet.network.isFiltering)
        try quiet.network.topology.ip("route add local 203.0.113.0/24 dev lo")
        try #require(try found.next().contains(.reachable))
        token.cancel()
        try #require(try quiet.network.engine.core.counters.snapshot.failures >= before + failures)
    }
}
