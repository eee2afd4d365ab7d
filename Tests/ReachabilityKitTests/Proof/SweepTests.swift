// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// A part of what `make sweep` does, always the same. CI takes another with each commit.
@Suite("A system call that fails once", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SweepTests {
    private static let program = BuiltProduct.path("sweep")

    @Test(
        "leads to the right answer or to an error, leaves nothing, and the next answer is right",
        .disabled(if: Sanitizer.isOn, "a sanitizer has functions of its own in the place of libc's"),
        arguments: try CallingThread.execute([program, "list"]).split(separator: "\n").map(String.init))
    func sweep(workload: String) throws {
        let report = try CallingThread.execute([Self.program, workload, "100", "1"])
        let counts = try #require(
            report.firstMatch(of: /; ([0-9]+) tried, ([0-9]+) led to an error, in ([0-9]+) .*; 0 wrong/), "\(report)")
        let (tried, errors, unmet) = (Int(counts.1)!, Int(counts.2)!, Int(counts.3)!)
        // Of some workloads few failures are told: a watched name, for one, is asked for again.
        #expect(tried > 80 && errors > 0 && unmet <= tried / 2, "\(report)")
    }
}
