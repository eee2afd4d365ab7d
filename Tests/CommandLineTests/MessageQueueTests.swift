// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

@Suite("Messages that nobody takes", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct MessageQueueTests {
    /// A state of each kind, as the engine reports them.
    private func states() throws -> (reachable: ObservedState, unreachable: ObservedState) {
        let topology = try Machine.routed()
        let states = ReceivedValues<ObservedState>()
        let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let token = try reference.observe(everyEvaluation: true, states.record)
        defer { token.cancel() }
        let reachable = try states.next { $0.observation.flags.isReachable }
        try topology.ip("route del default")
        return (reachable, try states.next { !$0.observation.flags.isReachable })
    }

    @Test("are one for each target, the newest, with the causes of all")
    func targets() throws {
        let (reachable, unreachable) = try states()
        #expect(reachable.causes.isEmpty && unreachable.causes.contains(.route))
        let queue = try MessageQueue<FollowedTargets.Message>()
        for _ in 0..<400 {
            for state in [unreachable, reachable] {
                for position in 0..<100 {
                    queue.append(FollowedTargets.Message(position: position, state: state, time: .now))
                }
            }
        }
        queue.append(FollowedTargets.Message(position: 7, state: reachable, time: .now))
        let messages = queue.removeAll()
        #expect(messages.map(\.position) == Array(0..<7) + Array(8..<100) + [7])
        #expect(
            messages.allSatisfy { $0.state.observation == reachable.observation && $0.causes == unreachable.causes })
        #expect(queue.removeAll().isEmpty)
    }

    @Test("of wait are few, and a break that is over is among them")
    func breaks() throws {
        let (reachable, unreachable) = try states()
        func subjects(_ events: [WaitEvent]) -> Set<WaitEvent.Subject> { Set(events.map { $0.subject(3) }) }
        #expect(subjects([.state(reachable), .state(unreachable), .state(reachable)]).count == 2)
        #expect(subjects([.path(NetworkPath()), .path(NetworkPath())]).count == 1)
        #expect(subjects([.gate([]), .gate([.expensive]), .gate([.unreachable])]).count == 2)
        #expect(subjects([.connection(1, nil), .connection(2, nil)]).count == 2)
    }
}
