// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// In processes of their own: a handler is called for all engines of a process.
@Suite("A trace", .timeLimit(.minutes(10)), .needs(.namespaces))
struct TraceTests {
    @Test func `tells a handler what is heard, looked at and told, until there is none`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let lines = ReceivedValues<String>()
            ReachabilityTrace.handler = { lines.record($0) }
            try network.watch("192.0.2.1")
            let path = try network.topology.run { try PathSource().observe { _ in } }
            try network.topology.ip("route add default via 10.0.0.254")
            // In any order: a question that was asked for another reason may find the route before its announcement is read.
            let told = [
                "announced: route 0.0.0.0/0", "told of 192.0.2.1: Reachable", #"told of the path: satisfied ["eth0"]"#,
            ]
            try WaitLimit.wait(for: "these lines") { told.allSatisfy(lines.all.contains) }
            path.cancel()
            ReachabilityTrace.handler = nil
            try #require(ReachabilityTrace.handler == nil && !Trace().isOn)
        }
    }

    @Test func `does not wait for a slow handler, and says how many lines it has not heard`() async {
        await #expect(processExitsWith: .success) {
            let (trace, lines) = (Trace(), ReceivedValues<String>())
            let (isReached, isOpen) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            ReachabilityTrace.handler = { line in
                lines.record(line)
                if line == "first" {
                    isReached.signal()
                    try? isOpen.wait(for: "the handler to be let go on")
                }
            }
            trace.note("first")
            try isReached.wait(for: "the handler to be called")
            for number in 0..<1500 { trace.note("\(number)") }
            isOpen.signal()
            let told = try lines.next(1002)
            try #require(told.dropLast() == ["first"] + (0..<1000).map { "\($0)" })
            try #require(told.last?.hasPrefix("500 lines") == true)
        }
    }
}
