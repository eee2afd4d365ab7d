// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import NetworkFacts
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("Looking again", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LookingAgainTests {
    /// A change may have been announced, and heard, before anybody watched, and be made only after the first look.
    @Test func `is done for a newcomer although nothing is announced`() throws {
        let reference = try Topology().run { try ReachabilityRef(address: "127.0.0.1") }
        #expect(reference.statistics.looks == 0)
        try reference.setDispatchQueue(DispatchQueue(label: "callbacks"))
        try ProcessState.wait("the newcomer is looked at again") {
            reference.statistics.looks >= 1 + DelayedRecheck.delays.count
        }
        try reference.setDispatchQueue(nil)
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
            // In a process of its own, that asks the kernel for itself.
            try network.topology.ip("link set eth0-peer down")
            // More than confirming what was looked at accounts for.
            try ProcessState.wait("it is tried again and again") { reference.statistics.failures >= before + 12 }
            FaultInjection.reset()
            try #require(try network.recorder.next() == [])
            try reference.setDispatchQueue(nil)
            try network.end()
        }
    }

    @Test func `is done for everything when changes could not be heard`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            try network.topology.wire("eth0", address: "10.0.0.1/24")
            let reference = try network.reference("192.0.2.1")
            try network.recorder.watch(reference)
            try network.settle()
            let engine = try network.engine()
            // Until nothing is left that is looked at again anyway.
            let confirmed = ReceivedValues<Void>()
            engine.loop.enqueue {
                let confirmation = DelayedRecheck(engine.loop) { _ in confirmed.record(()) }
                var changes = PendingChanges()
                changes.addEverything()
                confirmation.looked(at: changes)
                // It is held by nobody else.
                engine.loop.schedule(at: engine.loop.now().advanced(by: .seconds(60))) {
                    withExtendedLifetime(confirmation) {}
                }
            }
            _ = try confirmed.next(DelayedRecheck.delays.count)
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
