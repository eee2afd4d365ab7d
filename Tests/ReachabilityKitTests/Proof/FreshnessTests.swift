// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import ReachabilityKit
import Synchronization
import TestTopology
import Testing

/// A change, and at once a question: the answer must never be the one from before.
@Suite("An answer after a change", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun))
struct FreshnessTests {
    /// What the threads of a test found.
    private final class Findings: Sendable {
        let asked = Atomic(0)
        let stale = Atomic(0)
        let isDone = Atomic(false)
        let problems = Mutex<[String]>([])

        func record(_ problem: String) { problems.withLock { $0.append(problem) } }

        /// Asks twice, so that the cache is asked as well.
        func ask(_ reference: ReachabilityRef, _ expected: ReachabilityFlags) throws {
            for _ in 0..<2 {
                asked.wrappingAdd(1, ordering: .relaxed)
                if try reference.getFlags() != expected { stale.wrappingAdd(1, ordering: .relaxed) }
            }
        }
    }

    /// Goes back and forth on the calling thread.
    private static func run(_ flip: Flip, times: Int, in topology: Topology, _ findings: Findings) {
        do {
            let changer = try Changer(in: topology)
            var options = ReachabilityOptions()
            options.networkNamespace = .path(topology.namespacePath)
            let reference = try ReachabilityRef(address: flip.target, options: options)
            try findings.ask(reference, flip.onFlags)
            for _ in 0..<times {
                for change in flip.off { try changer.apply(change) }
                try findings.ask(reference, flip.offFlags)
                for change in flip.on { try changer.apply(change) }
                try findings.ask(reference, flip.onFlags)
            }
        } catch {
            findings.record("\(flip.target): \(error)")
        }
    }

    private static func run(_ kind: Flip.Kind, lanes: Int, drainers: Int = 0) throws -> Findings {
        let ground = try FlipGround(kind, lanes: lanes)
        let topology = ground.wired.topology
        let findings = Findings()
        let times = max(1, Flip.count / kind.share / 2 / lanes)
        let others = try (0..<drainers).map { _ in
            let reference = try ground.wired.view.reference("10.0.0.1")
            return try Thread.start(name: "drainer", stackBytes: 1 << 20) {
                // Each of these empties the sentinel whenever it is the first to see it full.
                while !findings.isDone.load(ordering: .relaxed) {
                    guard (try? reference.getFlags()) == .own else { return findings.record("a drainer's answer") }
                }
            }
        }
        let changers = try ground.lanes.map { flip in
            try Thread.start(name: "changer", stackBytes: 1 << 20) { run(flip, times: times, in: topology, findings) }
        }
        for changer in changers { changer.join() }
        findings.isDone.store(true, ordering: .relaxed)
        for other in others { other.join() }
        #expect(findings.problems.withLock { $0 } == [])
        #expect(findings.asked.load(ordering: .relaxed) == lanes * (2 + 4 * times))
        return findings
    }

    @Test("is never the old one, from one thread", arguments: Flip.Kind.allCases)
    func oneThread(_ kind: Flip.Kind) throws {
        #expect(try Self.run(kind, lanes: 1).stale.load(ordering: .relaxed) == 0)
    }

    @Test("is never the old one, from eight threads", arguments: Flip.Kind.allCases)
    func eightThreads(_ kind: Flip.Kind) throws {
        #expect(try Self.run(kind, lanes: 8).stale.load(ordering: .relaxed) == 0)
    }

    @Test("is never the old one, beside a thread that keeps draining", arguments: Flip.Kind.allCases)
    func besideDrainer(_ kind: Flip.Kind) throws {
        #expect(try Self.run(kind, lanes: 1, drainers: 1).stale.load(ordering: .relaxed) == 0)
    }
}
