// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import ReachabilityConnections
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import reachability

/// What a condition makes of events that come late, or in another order than usual.
@Suite("A condition of reachability wait", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ConditionTests {
    private let topology: Machine
    private let events = ReceivedValues<WaitEvent>()

    init() throws {
        topology = try Machine.wired()
    }

    private var options: ReachabilityOptions {
        var options = ReachabilityOptions()
        options.networkNamespace = .path(topology.namespacePath)
        return options
    }

    @Test func `that counts by some networks only leaves nothing behind at its end`() throws {
        let target = try #require(TargetWord("10.0.0.2:9", for: .wait).connection)
        let condition = try ConnectCondition(target, options, by: RequestGate.Conditions(allowsExpensive: false))
        try condition.begin(events.record)
        condition.end()
        #expect(condition.reference.namespace.sharedEngine.userCount == 0)
    }

    /// A condition that waits for a connection with a host that does not exist.
    private func connectCondition(_ clock: any TimeSource = SystemTime()) throws -> ConnectCondition {
        let target = try #require(TargetWord("10.0.0.2:9", for: .wait).connection)
        let condition = try ConnectCondition(target, options, clock: clock)
        try condition.begin(events.record)
        return condition
    }

    /// The next event that says whether there is a route. Looks that found the same are events, too.
    private func nextState(isReachable: Bool = true) throws -> WaitEvent {
        try events.next {
            if case .state(let state) = $0 { state.observation.flags.isReachable == isReachable } else { false }
        }
    }

    @Test("does not count a connection of an attempt that it has given up")
    func staleAttempt() throws {
        let condition = try connectCondition()
        let reachable = try nextState()
        condition.handle(reachable)
        try topology.ip("link set eth0-peer down")
        condition.handle(try nextState(isReachable: false))
        condition.handle(.connection(1, nil))
        condition.handle(reachable)
        #expect(!condition.holds)
        condition.handle(.connection(3, nil))
        #expect(condition.holds)
    }

    @Test("tries again soon after a change of the network, or a connection, however often it has failed")
    func pause() throws {
        let condition = try connectCondition()
        condition.handle(try nextState())
        func fail(_ attempts: ClosedRange<Int>) {
            for attempt in attempts {
                condition.handle(.connection(attempt, .system(.connectionRefused)))
                condition.timePassed(.distantFuture)
            }
        }
        func expectSoon(after attempt: Int) throws {
            condition.handle(.connection(attempt, .system(.connectionRefused)))
            let deadline = try #require(condition.deadline)
            #expect(deadline <= SystemTime().now().advanced(by: ConnectCondition.firstPause))
            condition.timePassed(.distantFuture)
        }
        fail(1...10)
        condition.handle(.path(NetworkPath()))
        try expectSoon(after: 11)
        fail(12...20)
        condition.handle(.connection(21, nil))
        condition.prove()
        try expectSoon(after: 22)
    }

    @Test("has a connection made once more that is too old")
    func olderConnections() throws {
        let clock = ManualTime()
        let condition = try connectCondition(clock)
        condition.handle(try nextState())
        condition.handle(.connection(1, nil))
        clock.advance(.seconds(1))
        let first = clock.now()
        #expect(try condition.holdsNow() && condition.isProved(at: first))
        clock.advance(.milliseconds(1))
        let later = clock.now()
        #expect(!condition.isProved(at: later))
        condition.prove()
        #expect(condition.isProving && condition.holds)
        condition.handle(.connection(2, nil))
        #expect(condition.isProved(at: later) && !condition.isProving)
        condition.prove()
        condition.handle(.connection(3, .system(.connectionRefused)))
        #expect(!condition.holds && condition.obstacle == "Connection refused")
        #expect(try !condition.holdsNow() && !condition.isProved(at: first))
        #expect(condition.deadline == clock.now().advanced(by: ConnectCondition.firstPause))
    }

    @Test("observes the servers that are configured now, and no others")
    func servers() throws {
        let source = try PathSource(options)
        let condition = try ServerCondition(options)
        try condition.begin(events.record)
        var path = NetworkPath()
        for _ in 0..<2 {
            for server in ["192.0.2.1", "192.0.2.2"] {
                path.servers = [ServerAddress(IPAddress(text: server))]
                try condition.handle(.path(path))
                // The path has a user, too.
                #expect(source.namespace.sharedEngine.userCount == 2)
            }
        }
    }
}

@Suite("A target that is followed", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct FollowedTargetTests {
    /// A target about which the kernel could not be asked.
    private static func failedTarget(in topology: Machine) throws -> FollowedTargets {
        let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let messages = try MessageQueue<FollowedTargets.Message>()
        var followed = FollowedTargets([reference], messages)
        try followed.begin()
        try #require(topology_wait_readable(messages.rawDescriptor, WaitLimit.milliseconds) > 0)
        FaultInjection.fail(.send, with: .outOfMemory, times: .max)
        defer { FaultInjection.reset() }
        _ = followed.update { _, _ in nil }
        try #require(followed.failures == [0])
        return followed
    }

    @Test("and about which the kernel could not be asked once is known again although nothing changes")
    func oneFailure() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            var followed = try Self.failedTarget(in: topology)
            try WaitLimit.wait(for: "the next look") {
                _ = followed.update { _, _ in nil }
                return followed.failures.isEmpty
            }
            try #require(followed.states[0]?.answer.flags == [])
        }
    }

    @Test("and about which the kernel could not be asked is known again after the next change")
    func failure() async {
        // In its own process, as system calls fail meanwhile.
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            var followed = try Self.failedTarget(in: topology)
            try topology.ip("route add default via 10.0.0.254")
            try WaitLimit.wait(for: "the change") {
                _ = followed.update { _, _ in nil }
                return followed.states[0]?.answer.flags == .reachable
            }
            try #require(followed.failures == [])
        }
    }
}
