// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// Asks at once after a change: the answer must never be the old one.
@Suite("An answer after a change", .timeLimit(.minutes(20)), .needs(.namespaces, .settings, .tun))
struct FreshnessTests {
    @Test("is never the old one, from one thread", arguments: Flip.Kind.allCases)
    func oneThread(_ kind: Flip.Kind) throws {
        #expect(try FreshnessRun(kind, lanes: 1).staleCount == 0)
    }

    @Test("is never the old one, from eight threads", arguments: Flip.Kind.allCases)
    func eightThreads(_ kind: Flip.Kind) throws {
        #expect(try FreshnessRun(kind, lanes: 8).staleCount == 0)
    }

    @Test("is never the old one, beside a thread that keeps draining", arguments: Flip.Kind.allCases)
    func besideDrainer(_ kind: Flip.Kind) throws {
        #expect(try FreshnessRun(kind, lanes: 1, drainers: 1).staleCount == 0)
    }
}
