// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import LinuxSystem
import ReachabilityKit
import Testing
import TestTopology

/// Questions about a name while no engine can be started. Injected failures concern the whole process, so the test has
/// its own.
@Suite("A name without an engine", .timeLimit(.minutes(10)), .needs(.namespaces))
struct NameWithoutEngineTests {
    @Test func `is resolved by a thread of its own, or it is an error`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let (first, second) = (try network.reference("a.test"), try network.reference("b.test"))
            // Only the engine's thread fails to start.
            FaultInjection.fail(.threadCreate, with: .wouldBlock)
            try #require(try await first.flags() == .reachable)
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: 2)
            let error = await #expect(throws: ReachabilityError.self) { try await second.flags() }
            try #require(error?.description == "cannot start a thread: \(Errno.wouldBlock)")
            try #require(try await second.flags() == .reachable)
        }
    }
}
#endif
