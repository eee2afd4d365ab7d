// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// No duration that a client passes ends the process, and no wait is longer than the client asked for.
@Suite("Durations as clients give them", .timeLimit(.minutes(10)))
struct DurationTests {
    static let unusual: [Duration] = [
        .milliseconds(-5), .nanoseconds(-1), .nanoseconds(-999_999_999), .seconds(-1), .seconds(-5),
        .seconds(Int64.min), .seconds(-1e20),
    ]

    @Test(arguments: unusual + [.zero])
    func `a moment is not moved by a duration that is over`(duration: Duration) {
        #expect(BootTime(nanoseconds: 1000).advanced(by: duration) == BootTime(nanoseconds: 1000))
    }

    @Test(
        arguments: [
            (.nanoseconds(5), 1005), (.seconds(9_223_372_036) + .milliseconds(900), 9_223_372_036_900_001_000),
            // Less than 2^64 nanoseconds, and then more.
            (.seconds(18_446_744_073), 18_446_744_073_000_001_000), (.seconds(18_446_744_074), .max),
            (.seconds(Int64.max), .max), (.seconds(1e20), .max),
        ] as [(Duration, UInt64)])
    func `a moment is moved as far as there is time`(duration: Duration, nanoseconds: UInt64) {
        #expect(BootTime(nanoseconds: 1000).advanced(by: duration).nanoseconds == nanoseconds)
        #expect(BootTime.distantFuture.advanced(by: duration) == .distantFuture)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(5), 5), (.microseconds(5001), 6),
            (.seconds(9_223_372_036_854_775), .max),
            (.seconds(1e20), .max), (.milliseconds(-5), 0), (.nanoseconds(-1), 0), (.seconds(-1e20), 0),
        ] as [(Duration, Int32)])
    func `the kernel never waits for ever where there is an end`(duration: Duration, milliseconds: Int32) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }

    @Test(arguments: unusual)
    func `a thread does not sleep for a duration that is over`(duration: Duration) {
        let looks = Mutex(0)
        ConditionLock(()).wait(atMost: duration) { _ in
            looks.withLock {
                $0 += 1
                return $0 < 1000
            }
        }
        #expect(looks.withLock(\.self) == 1)
    }

    @Test(.needs(.namespaces), arguments: unusual + [.zero, .milliseconds(1)])
    func `a wait whose time is over times out`(timeout: Duration) async throws {
        let topology = try Machine()
        let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let error = await #expect(throws: ReachabilityError.self) {
            try await reference.waitUntilReachable(timeout: timeout)
        }
        #expect(error?.code == .timedOut)
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test(.needs(.namespaces), arguments: [.seconds(Int64.max), .seconds(1e20)] as [Duration])
    func `a wait for longer than there is time ends when the target is reachable`(timeout: Duration) async throws {
        let topology = try Machine.wired()
        let reference = try topology.reference("192.0.2.1")
        let engine = reference.namespace.sharedEngine
        let waiting = Task(priority: .high) { try await reference.waitUntilReachable(timeout: timeout) }
        try await WaitLimit.wait(for: "the first look") { reference.statistics.evaluations > 0 }
        // A timer that is over would have ended the waiting by then.
        try #require(engine.present).afterwards {}
        try topology.ip("route add default via 10.0.0.254")
        try await waiting.value(for: "the waiting to end")
        #expect(engine.userCount == 0)
    }

    @Test(.needs(.namespaces, .settings), arguments: unusual + [.zero])
    func `a name that may take no time has no addresses`(timeout: Duration) async throws {
        let network = try NamedNetwork { _ in .silence }
        let reference = try network.reference("a.test") { $0.resolutionTimeout = timeout }
        #expect(try reference.getFlags() == [])
        #expect(try await reference.flags() == [])
    }

    @Test(.needs(.namespaces, .settings), arguments: [.seconds(Int64.max), .seconds(1e20)] as [Duration])
    func `a name that may take for ever is answered`(timeout: Duration) async throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        let reference = try network.reference("a.test") { $0.resolutionTimeout = timeout }
        #expect(try reference.getFlags() == [.reachable, .isDirect])
        #expect(
            try await network.reference("b.test") { $0.resolutionTimeout = timeout }.flags() == [.reachable, .isDirect])
    }
}
