// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// The same while something is watched, and the tripwire is armed before each change: it is io_uring that tells whether
/// a kept answer is true.
@Suite(
    "An answer after a change, by io_uring", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun, .ring))
struct RingFreshnessTests {
    @Test("is never the old one, from one thread", arguments: Flip.Kind.allCases)
    func oneThread(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 1, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.overlookedCount == 0, "the tripwire was quiet after a change")
        // Before each change two questions are answered by it, unless the kernel still had to say something of the change
        // before, as it has of links and IPv6 addresses.
        #expect(run.tripwireAnswers >= run.changeCount / 2, "of \(run.changeCount)")
    }

    @Test("is never the old one, from eight threads", arguments: Flip.Kind.allCases)
    func eightThreads(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 8, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.tripwireAnswers > 0)
    }

    @Test("is never the old one, beside a thread that keeps draining", arguments: Flip.Kind.allCases)
    func besideDrainer(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 1, drainers: 1, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.tripwireAnswers > 0)
    }
}
