// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("If the kernel refuses the filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterFaultTests {
    /// The attached filter does not know the second address, and the new filter is refused. With 3 failures the kernel
    /// refuses its three variants, each smaller than the one before; with 4 also the removal of the old filter; with 8 also
    /// the opening of another feed.
    @Test(arguments: [3, 4, 8])
    func `changes of addresses watched later come through all the same`(failures: Int) async {
        await #expect(processExitsWith: .success) { [failures] in
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            let references = try ["192.0.2.1", "203.0.113.1"].map { try topology.reference($0) }
            let recorders = references.map { _ in CallbackRecorder() }
            func evaluations() -> Int { references[0].statistics.evaluations }
            // A new watch is looked up three times: at once, after 20 ms and after a second (`DelayedRecheck`).
            try recorders[0].watch(references[0])
            try ProcessState.wait("the first was looked up") { evaluations() >= 3 }
            let before = evaluations()
            FaultInjection.fail(.setOption, with: .outOfMemory, times: failures)
            try recorders[1].watch(references[1])
            try ProcessState.wait("the second was looked up") { evaluations() >= before + 3 }
            FaultInjection.reset()
            try topology.ip("route add 203.0.113.0/24 via 10.0.0.254")
            let told = try recorders[1].next()
            try #require(told == .reachable)
            for reference in references { try reference.setDispatchQueue(nil) }
        }
    }
}
