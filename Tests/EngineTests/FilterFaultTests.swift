// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("If the kernel refuses the filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterFaultTests {
    // In Swift 6.2 the body of an exit test captures nothing, so each number has a test of its own.

    @Test func `changes of addresses watched later come through, if all three variants of it are refused`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 3) }
    }

    @Test func `changes still come through if the old filter cannot be removed either`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 4) }
    }

    @Test func `changes still come through if no other feed can be opened either`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 8) }
    }

    /// The attached filter does not know the second address, and the new filter is refused.
    private static func changesComeThrough(failures: Int) throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        let references = try ["192.0.2.1", "203.0.113.1"].map { try topology.reference($0) }
        let recorders = references.map { _ in CallbackRecorder() }
        func evaluations() -> Int { references[0].statistics.evaluations }
        // A new watch is looked up at once, and again.
        let looks = 1 + LookSchedule.repetitions.count
        try recorders[0].watch(references[0])
        try ProcessState.wait("the first was looked up") { evaluations() >= looks }
        let before = evaluations()
        FaultInjection.fail(.setOption, with: .outOfMemory, times: failures)
        try recorders[1].watch(references[1])
        try ProcessState.wait("the second was looked up") { evaluations() >= before + looks }
        FaultInjection.reset()
        try topology.ip("route add 203.0.113.0/24 via 10.0.0.254")
        let told = try recorders[1].next()
        try #require(told == .reachable)
        for reference in references { try reference.setDispatchQueue(nil) }
    }
}
