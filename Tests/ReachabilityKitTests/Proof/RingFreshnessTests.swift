// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// The same while something is watched and the ring is armed before each change, so that io_uring proves kept answers.
@Suite(
    "An answer after a change, by io_uring", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun, .ring))
struct RingFreshnessTests {
    @Test("is never the old one, from one thread", arguments: Flip.Kind.allCases)
    func oneThread(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 1, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.overlookedCount == 0, "the ring was quiet after a change")
        // It proves two answers before each change, unless the kernel still announces parts of the change before, as it does
        // for links and IPv6 addresses.
        #expect(run.ringProofs >= run.changeCount / 2, "of \(run.changeCount)")
    }

    @Test("is never the old one, from eight threads", arguments: Flip.Kind.allCases)
    func eightThreads(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 8, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.ringProofs > 0)
    }

    @Test("is never the old one, beside a thread that keeps draining", arguments: Flip.Kind.allCases)
    func besideDrainer(_ kind: Flip.Kind) throws {
        let run = try FreshnessRun(kind, lanes: 1, drainers: 1, isArmed: true)
        #expect(run.staleCount == 0)
        #expect(run.ringProofs > 0)
    }
}
