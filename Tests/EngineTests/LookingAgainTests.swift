// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("Looking again", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LookingAgainTests {
    /// A change may be announced before the target is watched, and made only after the first look.
    @Test func `is done for a new watch although nothing is announced`() throws {
        let reference = try Topology().run { try ReachabilityRef(address: "127.0.0.1") }
        #expect(reference.statistics.evaluationPasses == 0)
        try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
        try ProcessState.wait("the new watch is looked up again") {
            reference.statistics.evaluationPasses >= 1 + LookSchedule.repetitions.count
        }
        try reference.setDispatchQueue(nil)
    }

    /// The look for a new watch is repeated although nothing was announced. A change may come just before.
    @Test func `has the cause of a change that was announced and not read yet`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        try network.settle()
        let reference = try network.reference("192.0.2.1")
        let states = ReceivedValues<ChangeKinds>()
        let loop = try network.engine().loop
        let (held, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.enqueue {
            held.signal()
            _ = freed.wait(timeout: .now() + 60)
        }
        try #require(held.wait(timeout: .now() + 60) == .success)
        let observing = try reference.observe { states.record($0.causes) }
        // The new watch enqueues its first look, and this comes after it. The recheck is then due before the loop waits for
        // descriptors again.
        loop.enqueue {
            loop.enqueue {
                let due = loop.now().advanced(by: LookSchedule.repetitions[0])
                // Before the recheck, even if that is due already.
                loop.schedule(at: BootTime(nanoseconds: 0)) {
                    while loop.now() < due {}
                    #expect(throws: Never.self) { try network.topology.ip("rule add to 192.0.2.1 prohibit") }
                }
            }
        }
        freed.signal()
        #expect(try states.next() == [])
        // The recheck may also be for the routes of `settle`.
        #expect(try states.next().contains(.rule))
        observing.cancel()
        network.releaseEngine()
        try network.end()
    }

    @Test func `goes on for as long as the kernel cannot be asked`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            try network.topology.wire("eth0", address: "10.0.0.1/24")
            let reference = try network.reference("10.0.0.7")
            try network.recorder.watch(reference)
            try network.settle()
            let before = reference.statistics.failures
            FaultInjection.fail(.send, with: .outOfMemory, times: .max)
            // The command runs in another process, so that its system calls do not fail.
            try network.topology.ip("link set eth0-peer down")
            // More than the delayed rechecks account for.
            try ProcessState.wait("it is tried again and again") { reference.statistics.failures >= before + 12 }
            FaultInjection.reset()
            try #require(try network.recorder.next() == [])
            try reference.setDispatchQueue(nil)
            try network.end()
        }
    }

    @Test func `is done for everything when announcements could not be read`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            try network.topology.wire("eth0", address: "10.0.0.1/24")
            let reference = try network.reference("192.0.2.1")
            try network.recorder.watch(reference)
            try network.settle()
            try network.finishRechecks()
            let engine = try network.engine()
            let (held, freed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            engine.loop.enqueue {
                held.signal()
                _ = freed.wait(timeout: .now() + 60)
            }
            try #require(held.wait(timeout: .now() + 60) == .success)
            try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
            FaultInjection.fail(.receive, with: .outOfMemory)
            freed.signal()
            try #require(try network.recorder.next() == .reachable)
            FaultInjection.reset()
            network.releaseEngine()
            try reference.setDispatchQueue(nil)
            try network.end()
        }
    }
}
