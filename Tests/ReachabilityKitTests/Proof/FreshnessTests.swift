// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// Asks at once after a change: the answer must never be the old one.
@Suite("An answer after a change", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun))
struct FreshnessTests {
    struct Threads {
        let lanes: Int
        var drainers = 0
    }

    /// From one thread, from eight, and beside one that keeps draining.
    @Test(
        arguments: Flip.Kind.allCases,
        [Threads(lanes: 1), Threads(lanes: 8), Threads(lanes: 1, drainers: 1)])
    func `is never the old one`(_ kind: Flip.Kind, _ threads: Threads) throws {
        #expect(try FreshnessRun(kind, lanes: threads.lanes, drainers: threads.drainers).staleCount == 0)
    }
}

/// Makes changes of one kind, each followed at once by questions. Each lane has its own thread and target.
private final class FreshnessRun: Sendable {
    private let asked = Atomic(0)
    private let stale = Atomic(0)
    private let isDone = Atomic(false)
    private let problems = Mutex<[String]>([])

    var staleCount: Int { stale.load(ordering: .relaxed) }

    /// - Parameter drainers: threads that ask all the time, and so empty the sentinel whenever they are the first to see that
    ///   it is not empty.
    init(_ kind: Flip.Kind, lanes: Int, drainers: Int) throws {
        let ground = try FlipGround(kind, lanes: lanes)
        let topology = ground.wired.topology
        let own = try ground.wired.view.reference("10.0.0.1")
        // Answers are kept at once, because kept answers are tested. No change is under way while one is asked for.
        let freshness = try own.namespace.kernel().freshness!
        freshness.lookupDelay.store(0, ordering: .relaxed)
        freshness.longestRest.store(0, ordering: .relaxed)
        let times = max(1, Extent.changeCount / kind.share / 2 / lanes)
        let others = try (0..<drainers).map { _ in
            try TestThread("drainer") { [self] in
                while !isDone.load(ordering: .relaxed) {
                    guard (try? own.getFlags()) == .own else { return record("a drainer's answer") }
                }
            }
        }
        let changers = try ground.lanes.map { flip in
            try TestThread("changer") { [self] in
                run(flip, times: times, in: topology)
            }
        }
        for changer in changers { try changer.join(within: 3600) }
        isDone.store(true, ordering: .relaxed)
        for other in others { try other.join() }
        #expect(problems.withLock { $0 } == [])
        #expect(asked.load(ordering: .relaxed) == lanes * (3 + 6 * times))
    }

    private func record(_ problem: String) { problems.withLock { $0.append(problem) } }

    /// Asks a new reference, which has no kept answer, and then twice one that keeps its answers.
    private func ask(_ reference: ReachabilityRef, _ expected: ReachabilityFlags) throws {
        let fresh = ReachabilityRef(reference.subject, keys: reference.keys, namespace: reference.namespace)
        for reference in [fresh, reference, reference] {
            asked.wrappingAdd(1, ordering: .relaxed)
            if try reference.getFlags() != expected { stale.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    /// Makes the changes of one lane on the calling thread.
    private func run(_ flip: Flip, times: Int, in topology: Machine) {
        do {
            let changer = try Changer(in: topology)
            var options = ReachabilityOptions()
            options.networkNamespace = .path(topology.namespacePath)
            let reference = try ReachabilityRef(address: flip.target, options: options)
            let socket = topology.run { ConnectedSocket(to: flip.target) }
            func settle(_ expected: ReachabilityFlags) throws {
                try ask(reference, expected)
                // A socket shares no code with this package.
                if (socket.refusal() == nil) != expected.contains(.reachable) { record("a socket says otherwise") }
            }
            try settle(flip.onFlags)
            for _ in 0..<times {
                for change in flip.off { try changer.apply(change) }
                try settle(flip.offFlags)
                for change in flip.on { try changer.apply(change) }
                try settle(flip.onFlags)
            }
        } catch {
            record("\(flip.target): \(error)")
        }
    }
}

/// To which question a kept answer belongs.
@Suite("A kept answer", .timeLimit(.minutes(10)), .needs(.namespaces))
struct KeptAnswerTests {
    private let target = Target(IPAddress(text: "127.0.0.1"))

    private func kernel() throws -> KernelAccess {
        try Machine().run { try KernelAccess.single(SocketDefaults(in: nil)) }
    }

    /// Keeps an answer, which takes a second question under the same generation.
    private func keep(in cell: borrowing AnswerCell, _ kernel: KernelAccess, serial: UInt64 = 0) throws {
        kernel.freshness!.lookupDelay.store(0, ordering: .relaxed)
        for _ in 0..<3 {
            _ = try kernel.verdict(on: [target], keys: RoutingKeys(), keptIn: cell, serial: serial)
        }
        try #require(kernel.provedFlags(in: cell, serial: serial) == .own)
    }

    @Test func `is not taken for one about a name's other addresses`() throws {
        let cell = AnswerCell()
        let kernel = try kernel()
        try keep(in: cell, kernel, serial: 1)
        #expect(kernel.provedFlags(in: cell, serial: 2) == nil)
    }

    /// A common answer and a rare one are kept in different places.
    @Test func `replaces the one before, be it a common or a rare one`() throws {
        let cell = AnswerCell()
        let kernel = try kernel()
        for (serial, other) in [(0, 1), (1, 0), (2, 1), (0, 2)] as [(UInt64, UInt64)] {
            try keep(in: cell, kernel, serial: serial)
            #expect(kernel.provedFlags(in: cell, serial: other) == nil)
            let kept = cell.content
            #expect(kept?.serial == serial)
        }
    }

    @Test func `has all its flags`() throws {
        let freshness = try Machine().run { try Freshness.whole() }
        #expect(try freshness.begin(after: nil) {} == nil)
        let permit = try #require(try freshness.begin(after: nil) {})
        let cell = AnswerCell()
        let all = (0..<UInt32.bitWidth).map { ReachabilityFlags(rawValue: 1 << $0) }
        for flags in all + [[], ReachabilityFlags(rawValue: .max)] {
            let verdict = Verdict(flags: flags, reason: .throughGateway)
            for serial in [0, 1] as [UInt64] {
                cell.store(try #require(freshness.keep(verdict, under: permit, serial: serial, after: nil)))
                let kept = cell.content
                #expect(kept.flatMap(freshness.proved) == flags)
            }
        }
    }

    /// Generations that a word has no room for are not the common case any more. In a process of its own, as they are counted in
    /// one.
    @Test func `is kept after a year of a million changes a second`() async {
        await #expect(processExitsWith: .success) {
            Freshness.lastGeneration.wrappingAdd(1 << 45, ordering: .relaxed)
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            for _ in 0..<3 {
                try WaitLimit.wait(for: "the answer to be kept") {
                    _ = try reference.getFlags()
                    return reference.keptFlags == .routed
                }
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                #expect(try reference.getFlags() == .nothing)
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                #expect(try reference.getFlags() == .routed)
            }
        }
    }

    @Test func `is not taken for one of another namespace's kernel, in which as much has happened`() throws {
        let cell = AnswerCell()
        let kernels = [try kernel(), try kernel()]
        try keep(in: cell, kernels[0])
        #expect(kernels[1].provedFlags(in: cell) == nil)
    }

    @Test func `is not settled by a request during which something changed`() throws {
        let topology = try Machine()
        let freshness = try topology.run { try Freshness.whole() }
        freshness.longestRest.store(0, ordering: .relaxed)
        var requests = 0
        _ = try freshness.begin(after: nil) { requests += 1 }
        _ = try freshness.begin(after: nil) {
            requests += 1
            #expect(throws: Never.self) { try topology.ip("route add unreachable 192.0.2.1") }
            _ = freshness.beginQuestion(emptying: true)
        }
        for expected in [2, 2] {
            _ = try freshness.begin(after: nil) { requests += 1 }
            #expect(requests == expected)
        }
    }

    /// The request for a link waits for a lock of the whole machine.
    @Test func `is settled by one thread, while others answer by what they know of links, and keep nothing`() throws {
        let topology = try Machine.wired()
        let (isHeld, isFreed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (settles, others) = (Counter(), Counter())
        let open: @Sendable () throws(NetlinkError) -> NetlinkRequester = { () throws(NetlinkError) in
            do {
                return NetlinkRequester(
                    transport: try topology.run {
                        try WitnessedTransport { type, payload in
                            // RTM_GETLINK of linux/rtnetlink.h, and the index in struct ifinfomsg.
                            guard type == 18 else { return }
                            guard payload[4] == 1 else { return others.increment() }
                            settles.increment()
                            guard settles.value == 1 else { return }
                            isHeld.signal()
                            try isFreed.wait(for: "the answers of another thread")
                        }
                    })
            } catch {
                throw .answersLost
            }
        }
        var sockets = KernelSockets()
        sockets.requester = open
        let kernel = try topology.run {
            let defaults = try SocketDefaults(in: nil)
            return try KernelAccess(
                deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in defaults }, sockets: sockets,
                reopen: open)
        }
        let target = Target.address(IPAddress(text: "10.0.0.7"))
        let ask: @Sendable (borrowing AnswerCell) throws -> ReachabilityFlags? = { cell in
            let flags = try kernel.verdict(on: target, keys: RoutingKeys(), keptIn: cell).flags
            try #require(flags == .direct)
            return kernel.provedFlags(in: cell)
        }
        let cell = AnswerCell()
        #expect(try ask(cell) == nil)
        let settler = try TestThread("settler") {
            let kept = try ask(AnswerCell())
            try #require(kept == .direct)
        }
        try isHeld.wait(for: "the request for a link")
        for _ in 0..<3 { #expect(try ask(cell) == nil) }
        isFreed.signal()
        try settler.join()
        #expect(try ask(cell) == .direct)
        #expect(settles.value == 1)
        #expect(others.value == 1)
    }

    @Test func `is not kept for a while after a request that had to wait`() throws {
        let topology = try Machine()
        let freshness = try topology.run { try Freshness.whole() }
        let rests = [0, 100, 101, 1_100, 10_100, 1_000_000].map { freshness.rest(after: .microseconds($0)) }
        #expect(rests == [.zero, .zero, .milliseconds(1), .seconds(1), .seconds(10), .seconds(10)])
        for isRest in [false, true] {
            try topology.ip("route add unreachable 192.0.2.\(isRest ? 1 : 2)")
            _ = freshness.beginQuestion(emptying: true)
            var requests = 0
            let permit = try freshness.begin(after: nil) {
                requests += 1
                let moment = SystemTime().now().advanced(by: .milliseconds(11))
                try? WaitLimit.wait(for: "some milliseconds to pass") { SystemTime().now() >= moment }
            }
            #expect(requests == (isRest ? 0 : 1))
            #expect((permit == nil) == isRest)
        }
    }

    /// A program that closes descriptors which it does not own (closefrom(3)) gets their numbers for files of its own.
    @Test func `takes nothing out of a stream that the program has under the sentinel's number`() throws {
        let sentinel = try Machine().run { try NetlinkSocket(announcementQueueBytes: 1) }
        let freshness = try #require(Freshness(sentinel))
        _ = freshness.beginQuestion(emptying: false)
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(dup2(ends[0], sentinel.rawDescriptor) >= 0)
        var bytes = [UInt8](repeating: 7, count: 100)
        try #require(unsafe write(ends[1], &bytes, bytes.count) == 100)
        _ = freshness.beginQuestion(emptying: true)
        #expect(unsafe recv(ends[0], &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 100)
    }

    /// Two answers without a lifetime, more than a tick apart, say that there is none. They have to be about the same route.
    @Test func `without a lifetime counts from the second on, and not after another of the name's addresses`() throws {
        let freshness = try Machine().run { try Freshness.whole() }
        #expect(try freshness.begin(after: nil) {} == nil)
        var verdict = Verdict(flags: .routed, reason: .throughGateway)
        verdict.lifetime = .uncertain
        let earlier = try #require(freshness.begin(after: nil) {})
        let first = try #require(freshness.keep(verdict, under: earlier, serial: 1, after: nil))
        #expect(freshness.proved(first) == nil)
        let twoTicks = Duration.nanoseconds(2_000_000_000 / clockTicksPerSecond)
        let moment = SystemTime().now().advanced(by: twoTicks)
        try WaitLimit.wait(for: "two ticks to pass") { SystemTime().now() >= moment }
        let permit = try #require(freshness.begin(after: first) {})
        for (serial, flags) in [(1, .routed), (2, nil)] as [(UInt64, ReachabilityFlags?)] {
            let second = try #require(freshness.keep(verdict, under: permit, serial: serial, after: first))
            #expect(freshness.proved(second) == flags)
        }
    }

    /// A new IPv6 route is announced before lookups find it.
    @Test func `is not kept for an IPv6 route directly after a change`() throws {
        let freshness = try Machine().run { try Freshness.whole() }
        #expect(try freshness.begin(after: nil) {} == nil)
        let permit = try #require(try freshness.begin(after: nil) {})
        var verdict = Verdict(flags: .routed, reason: .throughGateway)
        #expect(freshness.keep(verdict, under: permit, after: nil) != nil)
        verdict.involvesIPv6 = true
        #expect(freshness.keep(verdict, under: permit, after: nil) == nil)
        freshness.lookupDelay.store(0, ordering: .relaxed)
        #expect(freshness.keep(verdict, under: permit, after: nil) != nil)
    }
}

extension Freshness {
    /// One that hears everything.
    fileprivate static func whole() throws -> Freshness {
        try #require(try Freshness(NetlinkSocket(announcementQueueBytes: 1)))
    }
}
