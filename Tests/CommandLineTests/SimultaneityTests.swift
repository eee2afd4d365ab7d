// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Testing

@testable import reachability

@Suite("What was waited for holds at the same time")
struct SimultaneityTests {
    private static func at(_ seconds: Double) -> BootTime { BootTime(nanoseconds: UInt64(seconds * 1e9)) }

    /// Conditions whose connections were made at moments, and what was demanded of them.
    private final class Connections {
        var simultaneity: Simultaneity
        var made: [Double?]
        var isAfterChange = true
        private(set) var demands: [ProofDemand] = []

        init(_ made: [Double?], stable stableTime: Duration = .zero) {
            simultaneity = Simultaneity(stableTime)
            self.made = made
        }

        func observe(at now: Double) -> Bool {
            let (made, isAfterChange) = (made, isAfterChange)
            var demanded = ProofDemand()
            let isOver = simultaneity.observe(at: at(now)) { demand in
                demanded = demand
                guard made.allSatisfy({ $0 != nil }) else { return Certainty.broken }
                let areNew = made.allSatisfy { at($0!) >= demand.since }
                return areNew && (isAfterChange || !demand.isAfterChange) ? .holds : .stale
            }
            demands.append(demanded)
            return isOver
        }
    }

    @Test("if each connection was made within the last second")
    func fresh() {
        let connections = Connections([10, 10.9])
        #expect(connections.observe(at: 11))
        #expect(connections.demands == [ProofDemand(since: Self.at(10))])
    }

    @Test("if an older connection was made once more, however long that took")
    func madeOnceMore() {
        let connections = Connections([2, nil])
        #expect(!connections.observe(at: 3))
        #expect(!connections.simultaneity.isProving)
        connections.made[1] = 10
        #expect(!connections.observe(at: 10))
        #expect(connections.simultaneity.isProving)
        // The one takes so long that the other is older than a second then. It was made once more after all held, and counts.
        connections.made[1] = 10.1
        #expect(!connections.observe(at: 10.1))
        connections.made[0] = 15
        #expect(connections.observe(at: 15))
    }

    @Test("a refusal begins the wait anew")
    func refusal() {
        let connections = Connections([2, 10])
        #expect(!connections.observe(at: 10))
        connections.made[0] = nil
        #expect(!connections.observe(at: 10.1))
        #expect(!connections.simultaneity.isProving)
        // When it is there again, the other has to be as new.
        connections.made[0] = 14
        #expect(!connections.observe(at: 14))
        #expect(connections.demands.last == ProofDemand(since: Self.at(13)))
        connections.made[1] = 14.1
        #expect(connections.observe(at: 14.1))
    }

    @Test("what has to last is proved at its beginning, after a change, and at its end")
    func lasting() {
        let connections = Connections([1], stable: .seconds(4))
        #expect(!connections.observe(at: 1))
        #expect(connections.simultaneity.moment == Self.at(5))
        // An old proof is good enough meanwhile, but not one from before a change.
        #expect(!connections.observe(at: 4))
        #expect(connections.demands.last == ProofDemand(isAfterChange: true))
        connections.isAfterChange = false
        #expect(!connections.observe(at: 4.5))
        #expect(connections.simultaneity.moment == Self.at(5) && !connections.simultaneity.isProving)
        #expect(!connections.observe(at: 5))
        // No moment is waited for, so no timer rings again and again.
        #expect(connections.simultaneity.moment == nil && connections.simultaneity.isProving)
        (connections.made, connections.isAfterChange) = ([5.1], true)
        #expect(connections.observe(at: 5.1))
        #expect(connections.demands.last == ProofDemand(since: Self.at(4), isAfterChange: true))
    }

    @Test("a refusal after a change, or at the end, has it begin anew", arguments: [3.0, 5.0])
    func interrupted(moment: Double) {
        let connections = Connections([1], stable: .seconds(4))
        #expect(!connections.observe(at: 1))
        connections.isAfterChange = false
        #expect(!connections.observe(at: moment))
        connections.made = [nil]
        #expect(!connections.observe(at: moment))
        #expect(connections.simultaneity.moment == nil)
        (connections.made, connections.isAfterChange) = ([6], true)
        #expect(!connections.observe(at: 6))
        #expect(connections.simultaneity.moment == Self.at(10))
    }

    @Test("a connection is made once more at the end, also where all had to last for less than a second")
    func shortlyStable() {
        let connections = Connections([1], stable: .milliseconds(500))
        #expect(!connections.observe(at: 1))
        #expect(!connections.observe(at: 1.5))
        #expect(connections.simultaneity.isProving)
        connections.made = [1.5]
        #expect(connections.observe(at: 1.5))
    }

    @Test("what did not hold for a moment begins anew at once, if it holds now")
    func newBeginning() {
        var simultaneity = Simultaneity(.seconds(4))
        var certainties: [Certainty] = [.holds, .broken, .holds]
        for now in [1.0, 3.0] {
            let isOver = simultaneity.observe(at: Self.at(now)) { _ in certainties.removeFirst() }
            #expect(!isOver && simultaneity.moment == Self.at(now + 4))
        }
    }

    @Test("what does not age needs no proof at the end")
    func withoutConnections() {
        var simultaneity = Simultaneity(.seconds(4))
        let ends = [1, 4, 5].map { now in simultaneity.observe(at: Self.at(now)) { _ in Certainty.holds } }
        #expect(ends == [false, false, true])
    }
}

@Suite("What carries a period of --stable")
struct CarriersTests {
    private typealias Findings = Carriers.Findings

    @Test("is all of it: a break that is over is a break")
    func all() {
        var carriers = Carriers(needed: 2)
        func next(_ found: Findings) -> Certainty { carriers.certainty(found) }
        let both = Findings(sure: [0, 1], announced: [0, 1])
        #expect(next(both) == .holds)
        carriers.noteBreak(1)
        #expect(next(both) == .broken)
        #expect(next(both) == .holds)
        #expect(next(Findings(sure: [0])) == .broken)
    }

    @Test("with --any is one that another has followed while it held")
    func any() {
        var carriers = Carriers(needed: 1)
        func next(_ found: Findings) -> Certainty { carriers.certainty(found) }
        #expect(next(Findings(sure: [0], announced: [0])) == .holds)
        #expect(next(Findings(sure: [0, 1], announced: [0])) == .holds)
        #expect(next(Findings(sure: [1])) == .holds)
        // Between this and the next one, nothing held.
        #expect(next(Findings(sure: [2], announced: [2])) == .broken)
        #expect(next(Findings(sure: [2], announced: [2])) == .holds)
    }

    @Test("with --any is no connection whose server has ended before another thing came")
    func connection() {
        var carriers = Carriers(needed: 1)
        func next(_ found: Findings) -> Certainty { carriers.certainty(found) }
        #expect(next(Findings(sure: [0])) == .holds)
        // The connection was made long ago. Whether it can still be made is asked first.
        #expect(next(Findings(sure: [0, 1], announced: [1])) == .holds)
        #expect(next(Findings(sure: [1], stale: [0], announced: [1])) == .stale)
        carriers.noteBreak(0)
        #expect(next(Findings(sure: [1], announced: [1])) == .broken)
        #expect(next(Findings(sure: [1], announced: [1])) == .holds)
    }
}
