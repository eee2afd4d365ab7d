// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What `.ci/run` asks for: counts have to be as demanded, times and memory at most twice that. A machine may be busy
/// with something else, so a row has failed only if it did in each of a few tries.
struct Check {
    static let tries = 3
    /// What a busy machine may add, and a mistake that is worth a failure exceeds.
    static let tolerance = 2.0
    /// What takes seconds, and one of each kind of work: asking, asking anew, many looks, names.
    static let names: Set = ["repeated", "allocations", "allocations-anew", "first", "churn", "link-down", "names"]

    /// Measures, and tells what failed; whether nothing did.
    static func passes(_ measurements: [Measurement], _ stage: Stage) -> Bool {
        var passes = true
        for measurement in measurements {
            var failing: Set<String>?
            for attempt in 1...tries where failing?.isEmpty != true {
                var report = Report()
                report.run(measurement, stage)
                report.printTable()
                // A row that was well in an earlier try is.
                let failed = report.failing(tolerance: tolerance)
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
    /// Whether it is so far off that something is wrong. A count is exact wherever it is made.
    func isWithin(_ tolerance: Double) -> Bool {
        switch target {
        case .ratio(let most): ratio.map { $0 <= most * tolerance } ?? false
        case .most(let most): ours <= (unit == .count ? most : most * tolerance)
        case .none: true
        }
    }
}
