// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A watched name is resolved again")
struct ResolutionScheduleTests {
    private let now = BootTime(nanoseconds: 1_000_000_000_000)
    private let configuration = Resolver(ResolverFixture().environment([])).configuration

    private func resolution(_ family: FamilyOutcome, _ outcome: ResolutionOutcome? = nil) -> Resolution {
        Resolution(
            NameQuery(HostName(lenient: "a.test")),
            Finding(v4: family, v6: .noData, origin: .dns, outcome: outcome), made: now, configuration: configuration)
    }

    private func found(ttl: UInt32) -> Resolution {
        resolution(.addresses([TimedAddress(IPAddress(text: "192.0.2.1"), timeToLive: ttl)]))
    }

    private func wait(_ resolution: Resolution, failures: Int = 0) -> Duration? {
        ResolutionSchedule.next(after: resolution, failures: failures, now: now).map { $0.duration(since: now) }
    }

    @Test(arguments: [(0 as UInt32, 1 as Int64), (1, 1), (60, 60), (3600, 3600), (90_000, 3600)])
    func `when its addresses have grown old, and never more than once a second`(ttl: UInt32, seconds: Int64) {
        #expect(wait(found(ttl: ttl)) == .seconds(seconds))
    }

    @Test func `not before a second has passed where the answer came from the cache at its very end`() {
        let old = found(ttl: 5)
        let late = now.advanced(by: .milliseconds(4_999))
        let next = ResolutionSchedule.next(after: old, failures: 0, now: late)
        #expect(next == late.advanced(by: .seconds(1)))
    }

    @Test func `ever more rarely while it fails`() {
        let silent = resolution(.deadlinePassed)
        let waits = (0...3).map { wait(silent, failures: $0) }
        #expect(waits == [5_000_000, 5_000_000, 6_250_000, 7_812_500].map { Duration.microseconds($0) })
        let late = [18, 19, 20, 21, Int.max].map { wait(silent, failures: $0) }
        #expect(late[0]! < .seconds(225) && late[1]! < .seconds(280))
        #expect(late[2...] == [.seconds(300), .seconds(300), .seconds(300)])
    }

    /// The pauses of `wait` would otherwise be longer than the time that it is given.
    @Test func `soon enough for who waits for a name to appear`() {
        let missing = resolution(.noSuchName)
        var (begin, failures) = (Duration.zero, 0)
        while begin < .seconds(600) {
            failures += 1
            let pause = wait(missing, failures: failures)!
            #expect(pause <= max(.seconds(5), (begin + .seconds(20)) / 4 + .microseconds(1)))
            begin += pause
        }
    }

    @Test(arguments: [ResolutionOutcome.noServerReachable, .noServerConfigured, .impossibleName])
    func `not by the clock where only another network or configuration can help`(outcome: ResolutionOutcome) {
        #expect(wait(resolution(.notAsked, outcome)) == nil)
    }

    @Test func `never where the hosts file says it`() {
        let listed = Resolution(
            NameQuery(HostName(lenient: "a.test")),
            Finding(
                v4: .addresses([TimedAddress(IPAddress(text: "192.0.2.1"), timeToLive: nil)]), v6: .noData,
                origin: .hostsFile), made: now, configuration: configuration)
        #expect(wait(listed) == nil)
    }
}

/// With a clock that the test sets, on a loop that it turns.
@Suite("A watched name that cannot be resolved again", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FailingNameTests {
    /// A watched name whose server has answered once, on a loop of its own.
    private struct Watched {
        let network: NamedNetwork
        let loop: EventLoop
        let core: EngineCore
        private let resolver: Resolver
        private let name: Subject
        private let subscriber = IndifferentSubscriber()

        init(ttl: UInt32) throws {
            network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", ttl: ttl))
            var environment = network.fixture.environment([network.server], manualTime: true)
            environment.namespace = network.topology.namespace
            resolver = Resolver(environment)
            loop = try EventLoop(time: network.fixture.time)
            core = EngineCore(
                loop: loop, namespace: network.namespace, kernel: try network.namespace.kernel(),
                counters: EngineCounters())
            let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
            name = Subject.name(
                NamedHost(
                    name: HostName(lenient: "a.test"), resolver: resolver, key: key, timeout: .seconds(30),
                    policy: .resolve, source: nil))
            loop.enqueue { [core, name, subscriber] in core.add(subscriber, to: name, RoutingKeys()) }
            #expect(isAsking())
            try waitForAnswer()
        }

        /// Whether a lookup is under way.
        func isAsking() -> Bool {
            var isAsking = false
            loop.turn { isAsking = resolver.hasWork(on: loop) }
            return isAsking
        }

        func waitForAnswer() throws { try WaitLimit.wait(for: "the answer") { !isAsking() } }

        /// Lets time pass in steps, and expects a lookup to begin after each of them or not.
        func expect(_ steps: (milliseconds: Int, begins: Bool)...) throws {
            for (milliseconds, begins) in steps {
                network.fixture.time.advance(.milliseconds(milliseconds))
                #expect(isAsking() == begins, "after another \(milliseconds) ms")
                try waitForAnswer()
            }
        }

        func end() {
            loop.enqueue { [core, name, subscriber] in
                core.remove(subscriber, from: name, RoutingKeys())
                core.end()
            }
            loop.stop()
            loop.turn()
        }
    }

    @Test func `is asked for ever more rarely`() throws {
        let watched = try Watched(ttl: 1)
        let (network, loop, core) = (watched.network, watched.loop, watched.core)
        network.server.setScript { _ in .fail(rcode: 2) }
        try watched.expect(
            (2000, true), (4000, false), (1000, true), (6000, false), (1000, true), (7000, false), (1000, true))
        // Where the way out is another, it is asked for at once, and as often as at first.
        try network.topology.ip("route del default")
        loop.enqueue { core.recheck(at: loop.now()) }
        try WaitLimit.wait(for: "the question") { watched.isAsking() }
        try watched.waitForAnswer()
        try watched.expect((4000, false), (1000, true))
        watched.end()
    }

    /// As where a VPN has just come up, whose server learns its names a little later. The codes are SERVFAIL and NXDOMAIN (RFC 1035
    /// 4.1.1).
    @Test(arguments: [2, 3] as [UInt8])
    func `just after the configuration changed is asked for in short steps, which count for nothing afterwards`(
        rcode: UInt8
    ) throws {
        let watched = try Watched(ttl: 3600)
        let network = watched.network
        network.server.setScript { _ in .fail(rcode: rcode) }
        network.fixture.replace("resolv.conf", "options ndots:1\n")
        try WaitLimit.wait(for: "the question") { watched.isAsking() }
        try watched.waitForAnswer()
        for _ in 1...10 { try watched.expect((249, false), (1, true)) }
        try watched.expect((4999, false), (1, true), (6249, false))
        network.server.setScript(NamedNetwork.answering("192.0.2.1"))
        try watched.expect((1, true), (59_999, false))
        watched.end()
    }
}
