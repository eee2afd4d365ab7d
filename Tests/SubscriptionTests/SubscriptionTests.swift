// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityRoutes

/// What everything that tells of changes promises, whoever is told and whatever of.
@Suite("A subscription", .timeLimit(.minutes(10)), .needs(.namespaces))
struct SubscriptionTests {
    private let machine: Machine

    init() throws { machine = try Machine.wired("route add default via 10.0.0.254") }

    /// Makes the host reachable or not. Returns when everybody has been told.
    private func set(_ isUp: Bool) throws {
        try machine.ip("route \(isUp ? "add" : "del") default via 10.0.0.254")
        try machine.settle()
    }

    /// Begins to tell a client that stays in its first call, which tells that the host is reachable.
    private func start(_ face: Face, telling client: SlowClient<Bool>) throws -> () -> Void {
        if !face.tellsFirst { try set(false) }
        let end = try face.start(machine, client.queue) { client.call($0) }
        if !face.tellsFirst { try set(true) }
        try client.waitForFirstCall()
        return end
    }

    /// How many use the engine of the machine's network.
    private var users: Int {
        NamespaceRegistry.current.namespaces(of: machine.namespace.identity).map(\.sharedEngine.userCount).reduce(0, +)
    }

    @Test(arguments: Face.all) func `tells one thing at a time on a concurrent queue, and the newest last`(
        _ face: Face
    ) throws {
        let client = SlowClient<Bool>()
        let end = try start(face, telling: client)
        for isUp in [false, true, false] { try set(isUp) }
        try client.release()
        #expect(try client.values.next(2) == [true, false])
        try set(true)
        #expect(try client.values.next())
        #expect(client.callsAtATime == 1 && client.values.untaken == 0)
        end()
    }

    @Test(arguments: Face.all.filter(\.tellsStates)) func `never tells the same twice`(_ face: Face) throws {
        let client = SlowClient<Bool>()
        let end = try start(face, telling: client)
        for isUp in [false, true] { try set(isUp) }
        try client.release()
        try set(false)
        #expect(try client.values.next(2) == [true, false])
        end()
    }

    @Test(arguments: Face.all) func `tells nothing after its end, and leaves nothing behind`(_ face: Face) throws {
        let client = SlowClient<Bool>()
        let end = try start(face, telling: client)
        try set(false)
        end()
        try client.release()
        try set(true)
        #expect(try client.values.next())
        try client.values.finishDeliveries()
        #expect(client.values.untaken == 0 && users == 0)
    }

    @Test(arguments: SequenceFace.all)
    func `as a sequence begins with the present, and keeps the newest for a slow reader`(
        _ sequence: SequenceFace
    ) async throws {
        let next = try sequence.begin(machine)
        #expect(try await next() == true)
        for isUp in [false, true, false] { try set(isUp) }
        #expect(try await next() == false)
        try set(true)
        #expect(try await next() == true)
    }

    @Test(arguments: SequenceFace.all, [true, false])
    func `as a sequence ends with the task, also before it began, and leaves nothing behind`(
        _ sequence: SequenceFace, isEarly: Bool
    ) async throws {
        let seen = ReceivedValues<Bool>()
        let reading = Task(priority: .high) { [machine] in
            if isEarly { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            let next = try sequence.begin(machine)
            while let isUp = try await next() { seen.record(isUp) }
        }
        if !isEarly {
            try await WaitLimit.wait(for: "the first state") { seen.untaken > 0 }
            #expect(users == 1)
            reading.cancel()
        }
        try await reading.value(for: "the end of the sequence")
        #expect(seen.all == (isEarly ? [] : [true]))
        #expect(users == 0)
    }
}
