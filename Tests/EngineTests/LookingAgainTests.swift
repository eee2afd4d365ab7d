// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("Looking again", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LookingAgainTests {
    /// The look for a new watch is repeated although nothing was announced. A change may come just before.
    @Test func `has the cause of a change that was announced and not read yet`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add 192.0.2.0/24 via 10.0.0.254")
        try network.settle()
        let reference = try network.reference("192.0.2.1")
        let states = ReceivedValues<ChangeKinds>()
        let freed = try network.blockEngine()
        let loop = try network.engine.loop
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
    }

    @Test func `goes on for as long as the kernel cannot be asked`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let reference = try network.watch("10.0.0.7")
            try network.settle()
            let before = reference.statistics.failures
            FaultInjection.fail(.send, with: .outOfMemory, times: .max)
            // The command runs in another process, so that its system calls do not fail.
            try network.topology.ip("link set eth0-peer down")
            // More than the delayed rechecks account for.
            try ProcessState.wait("it is tried again and again") { reference.statistics.failures >= before + 12 }
            FaultInjection.reset()
            try #require(try network.recorder.next() == [])
        }
    }
}
