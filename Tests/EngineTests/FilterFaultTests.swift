// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("Where the kernel takes no filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterFaultTests {
    /// The filter attached before knows nothing of the second address, and the new one is refused: three programs, one
    /// smaller than the other; then the removal of the old one as well; then what opening another feed takes.
    @Test(arguments: [3, 4, 8])
    func `changes of what is watched from then on are heard all the same`(failures: Int) async {
        await #expect(processExitsWith: .success) { [failures] in
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            let references = try ["192.0.2.1", "203.0.113.1"].map { try topology.reference($0) }
            let recorders = references.map { _ in CallbackRecorder() }
            func evaluations() -> Int { references[0].statistics.evaluations }
            // A newcomer is looked at three times, 20 ms and a second apart, for a reason of its own.
            try recorders[0].watch(references[0])
            try ProcessState.wait("the first was looked at") { evaluations() >= 3 }
            let before = evaluations()
            FaultInjection.fail(.setOption, with: .outOfMemory, times: failures)
            try recorders[1].watch(references[1])
            try ProcessState.wait("the second was looked at") { evaluations() >= before + 3 }
            FaultInjection.reset()
            try topology.ip("route add 203.0.113.0/24 via 10.0.0.254")
            let told = try recorders[1].next()
            try #require(told == .reachable)
            for reference in references { try reference.setDispatchQueue(nil) }
        }
    }
}
