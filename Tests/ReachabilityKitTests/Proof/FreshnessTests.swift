// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import Synchronization
import TestTopology
import TestWaiting
import Testing

/// Asks at once after a change: the answer must never be the old one.
@Suite("An answer after a change", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun))
struct FreshnessTests {
    struct Threads {
        let lanes: Int
        var drainers = 0
    }

    /// From one thread, from eight, and beside one that keeps draining.
    @Test(
        arguments: Flip.Kind.allCases,
        [Threads(lanes: 1), Threads(lanes: 8), Threads(lanes: 1, drainers: 1)])
    func `is never the old one`(_ kind: Flip.Kind, _ threads: Threads) throws {
        #expect(try FreshnessRun(kind, lanes: threads.lanes, drainers: threads.drainers).staleCount == 0)
    }
}

/// Makes changes of one kind, each followed at once by questions. Each lane has its own thread and target.
private final class FreshnessRun: Sendable {
    private let asked = Atomic(0)
    private let stale = Atomic(0)
    private let isDone = Atomic(false)
    private let problems = Mutex<[String]>([])

    var staleCount: Int { stale.load(ordering: .relaxed) }

    /// - Parameter drainers: threads that ask all the time, and so empty the sentinel whenever they are the first to see that
    ///   it is not empty.
    init(_ kind: Flip.Kind, lanes: Int, drainers: Int) throws {
        let ground = try FlipGround(kind, lanes: lanes)
        let topology = ground.wired.topology
        let own = try ground.wired.view.reference("10.0.0.1")
        // Answers are kept at once, because kept answers are tested. No change is under way while one is asked for.
        try own.namespace.kernel().freshness!.lookupDelay.store(0, ordering: .relaxed)
        let times = max(1, Extent.changeCount / kind.share / 2 / lanes)
        let others = try (0..<drainers).map { _ in
            try TestThread("drainer") { [self] in
                while !isDone.load(ordering: .relaxed) {
                    guard (try? own.getFlags()) == .own else { return record("a drainer's answer") }
                }
            }
        }
        let changers = try ground.lanes.map { flip in
            try TestThread("changer") { [self] in
                run(flip, times: times, in: topology)
            }
        }
        for changer in changers { try changer.join(within: 3600) }
        isDone.store(true, ordering: .relaxed)
        for other in others { try other.join() }
        #expect(problems.withLock { $0 } == [])
        #expect(asked.load(ordering: .relaxed) == lanes * (3 + 6 * times))
    }

    private func record(_ problem: String) { problems.withLock { $0.append(problem) } }

    /// Asks a new reference, which has no kept answer, and then twice one that keeps its answers.
    private func ask(_ reference: ReachabilityRef, _ expected: ReachabilityFlags) throws {
        let fresh = ReachabilityRef(target: reference.target, keys: reference.keys, namespace: reference.namespace)
        for reference in [fresh, reference, reference] {
            asked.wrappingAdd(1, ordering: .relaxed)
            if try reference.getFlags() != expected { stale.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    /// Makes the changes of one lane on the calling thread.
    private func run(_ flip: Flip, times: Int, in topology: Topology) {
        do {
            let changer = try Changer(in: topology)
            var options = ReachabilityOptions()
            options.networkNamespace = .path(topology.namespacePath)
            let reference = try ReachabilityRef(address: flip.target, options: options)
            let socket = topology.run { ConnectedSocket(to: flip.target) }
            func settle(_ expected: ReachabilityFlags) throws {
                try ask(reference, expected)
                // A socket shares no code with this package.
                if (socket.refusal() == nil) != expected.contains(.reachable) { record("a socket says otherwise") }
            }
            try settle(flip.onFlags)
            for _ in 0..<times {
                for change in flip.off { try changer.apply(change) }
                try settle(flip.offFlags)
                for change in flip.on { try changer.apply(change) }
                try settle(flip.onFlags)
            }
        } catch {
            record("\(flip.target): \(error)")
        }
    }
}
