// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("Deliveries", .timeLimit(.minutes(10)), .needs(.namespaces))
struct DeliveryTests {
    /// Blocks the engine's thread when it is notified.
    private final class Gate: Subscriber {
        let isReached = DispatchSemaphore(value: 0)
        let isOpen = DispatchSemaphore(value: 0)

        func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
            isReached.signal()
            try? isOpen.wait(for: "the gate to be opened")
        }
    }

    /// A namespace has two engines for a moment when one is stopping and the next has been started.
    @Test func `of an engine are not lost while the engine after it delivers`() throws {
        let topology = try Machine()
        let reference = try topology.reference("127.0.0.1")
        let recorder = CallbackRecorder()
        reference.setCallback { recorder.record($0) }
        func registration() -> Registration {
            Registration(reference, place: .queue(recorder.queue), known: nil, resolution: nil)
        }
        let engines = try (0..<2).map { _ in
            try Engine(namespace: reference.namespace, loop: try EventLoop(name: "engine"))
        }
        defer {
            for engine in engines {
                engine.stop()
                engine.loop.stop()
            }
        }
        let other = try topology.reference("127.0.0.2")
        let gate = Gate()
        // Both are looked up together, and the registration is notified before the gate.
        let mayLook = DispatchSemaphore(value: 0)
        engines[0].loop.enqueue { try? mayLook.wait(for: "both to be added") }
        engines[0].add(registration(), to: reference.subject, reference.keys)
        engines[0].add(gate, to: other.subject, other.keys)
        mayLook.signal()
        try gate.isReached.wait(for: "the gate to be reached")
        engines[1].add(registration(), to: reference.subject, reference.keys)
        #expect(try recorder.next() == [.reachable, .isLocalAddress, .isDirect])
        gate.isOpen.signal()
        // The gate may be notified twice.
        gate.isOpen.signal()
        #expect(try recorder.next() == [.reachable, .isLocalAddress, .isDirect])
    }

    /// The callback of the first registration runs while the second has something to tell.
    @Test func `come one at a time, however often the reference is scheduled`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let client = SlowClient<ReachabilityFlags>()
        let reference = try network.reference("192.0.2.1")
        reference.setCallback { client.call($0) }
        try reference.setDispatchQueue(client.queue)
        try network.topology.ip("route add default via 10.0.0.254")
        try client.waitForFirstCall()
        for command in ["del default", "add default via 10.0.0.254"] {
            try reference.setDispatchQueue(nil)
            try reference.setDispatchQueue(client.queue)
            try network.topology.ip("route \(command)")
            try network.settle()
        }
        try client.release()
        #expect(try client.values.next(2) == [.reachable, .reachable])
        #expect(client.callsAtATime == 1)
        try network.topology.ip("route del default")
        #expect(try client.values.next() == [])
        try reference.setDispatchQueue(nil)
    }
}
