// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The check that `.ci/run` makes: counts must meet their targets, times and memory their targets times the row's tolerance.
/// Other processes may disturb a measurement, so a row has failed only if it failed in each of a few tries.
struct Check {
    static let tries = 3
    /// Measurements that take seconds, one of each kind: first questions, repeated ones, many watches, names.
    static let names: Set = ["repeated", "allocations", "allocations-anew", "first", "churn", "link-down", "names"]

    /// Measures, and prints what failed. Returns whether nothing did.
    static func passes(_ measurements: [Measurement], _ stage: Stage) -> Bool {
        var passes = true
        for measurement in measurements {
            var failing: Set<String>?
            for attempt in 1...tries where failing?.isEmpty != true {
                var report = Report()
                report.run(measurement, stage)
                report.printTable()
                // A row that passed in an earlier try has passed.
                let failed = report.failing
                failing = failing.map { $0.intersection(failed) } ?? failed
                if let left = failing, !left.isEmpty {
                    print("try \(attempt): \(left.sorted().joined(separator: "; "))")
                }
            }
            if failing?.isEmpty != true { passes = false }
        }
        print(passes ? "benchmarks: all within the limits" : "benchmarks: beyond the limits, see above")
        return passes
    }
}

extension Row {
    /// Whether the row is at most this many times its target. Counts are exact on any machine.
    func isWithin(_ tolerance: Double) -> Bool {
        switch target {
        case .ratio(let most): ratio.map { $0 <= most * tolerance } ?? false
        case .most(let most): ours <= (unit == .count ? most : most * tolerance)
        case .none: true
        }
    }
}
