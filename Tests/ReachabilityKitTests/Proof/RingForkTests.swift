// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import ReachabilityKit
import TestTopology
import Testing

/// A child sees its parent's ring in memory, and must not believe it.
// Each of these forks while the engine's thread runs. ForkTests says why that cannot be under Thread Sanitizer.
@Suite(
    "A fork while io_uring is armed", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .ring),
    .disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
struct RingForkTests {
    @Test("leaves parent and child each with right answers, change after change")
    func bothFollow() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            let armer = try Armer(wired.view.reference("10.0.0.1"))
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            for _ in 0..<3 { #expect(try reference.getFlags() == .routed) }
            try armer.arm()
            let child = ForkTests.Child(reference)
            wired.topology.run { child.start() }
            // Now the parent's ring is quiet, the child has none, and the change affects both.
            for round in 0..<100 {
                try armer.arm()
                let before = armer.proofCount
                #expect(try reference.getFlags() == .routed)
                if armer.isIdle { #expect(armer.proofCount > before) }
                #expect(child.flags() == 2)
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                #expect(!armer.isIdle)
                // Parent and child alternate as the first to ask.
                if round % 2 == 0 { #expect(try reference.getFlags() == .nothing) }
                #expect(child.flags() == 0)
                #expect(try reference.getFlags() == .nothing)
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                for _ in 0..<2 { #expect(try reference.getFlags() == .routed) }
            }
            #expect(child.end() == 0)
            try armer.arm()
            #expect(armer.isIdle, "the end of the child closed the parent's ring")
            try armer.end()
        }
    }
}
