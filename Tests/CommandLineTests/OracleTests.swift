// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// `make oracle` compares far more.
@Suite("Answers about random networks", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct OracleTests {
    @Test("are what connecting a socket says")
    func oracle() throws {
        let outcome = try RunningProgram(["400", "1"], in: Machine(), program: "oracle").outcome()
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.complaints)")
        #expect(outcome.output.contains("\nseed 1: 400 comparisons in 10 networks, 0 differences"))
    }
}
