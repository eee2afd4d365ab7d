// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("An observation", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ObservationTests {
    private final class Witness: Sendable {}

    /// A callback of an address gets no first call, and one of a name gets one.
    @Test(arguments: ["192.0.2.1", "a.test"])
    func `begins with the present flags, also without the reference, and ends when it is released`(
        target: String
    ) throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let (told, engine) = (network.recorder, network.namespace.sharedEngine)
        weak var reference: ReachabilityRef?
        weak var witness: Witness?
        var observation: ReachabilityObservation?
        do {
            let (made, kept) = (try network.reference(target), Witness())
            (reference, witness) = (made, kept)
            observation = try made.observe(on: told.queue) { flags in withExtendedLifetime(kept) { told.record(flags) }
            }
        }
        #expect(try told.next() == .reachable)
        #expect(reference == nil && witness != nil && engine.userCount == 1)
        try network.topology.ip("route del default")
        #expect(try told.next() == [])
        withExtendedLifetime(observation) {}
        observation = nil
        try told.finishDeliveries()
        #expect(witness == nil && engine.userCount == 0)
    }

    @Test func `may be one of several, beside a scheduled callback`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.watch("192.0.2.1")
        let (first, second) = (CallbackRecorder(), CallbackRecorder())
        let observation = try reference.observe(on: first.queue) { first.record($0) }
        #expect(try first.next() == [])
        try network.topology.ip("route add default via 10.0.0.254")
        for recorder in [first, network.recorder] { #expect(try recorder.next() == .reachable) }
        let late = try reference.observe(on: second.queue) { second.record($0) }
        #expect(try second.next() == .reachable)
        observation.cancel()
        try network.topology.ip("route del default")
        for recorder in [second, network.recorder] { #expect(try recorder.next() == []) }
        try network.settle()
        #expect(first.untaken == 0)
        late.cancel()
    }

    @Test func `is silent from the moment it was cancelled on its queue`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let (reference, told) = (try network.reference("192.0.2.1"), CallbackRecorder())
        let observation = try reference.observe(on: told.queue) { told.record($0) }
        #expect(try told.next() == [])
        try told.queue.sync {
            // A call is on its way behind this block.
            try network.topology.ip("route add default via 10.0.0.254")
            try network.settle()
            observation.cancel()
        }
        try told.finishDeliveries()
        #expect(told.untaken == 0)
    }

    @Test(.disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func `is the parent's in the child of a fork, which makes none on a queue`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let (reference, told) = (try network.reference("192.0.2.1"), CallbackRecorder())
            var observation: ReachabilityObservation? = try reference.observe(on: told.queue) { told.record($0) }
            try #require(try told.next() == [])
            try ForkedEngineTests.inChild {
                observation?.cancel()
                observation = nil
                return code { _ = try reference.observe(on: .main) { _ in } } == .unsupported
            }
            try network.topology.ip("route add default via 10.0.0.254")
            try #require(try told.next() == .reachable)
            observation?.cancel()
        }
    }
}
