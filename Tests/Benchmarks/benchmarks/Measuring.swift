// SPDX-License-Identifier: Apache-2.0

import CLimits
import ReachabilityLinuxSystem

/// Why a row could not be measured.
struct MeasuringFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Checks a result of one of the C functions, which return a negative number if they fail.
func checked(_ value: Double) throws -> Double {
    guard value >= 0 else { throw MeasuringFailure("the limit failed: \(Errno(rawValue: Int32(-value)))") }
    return value
}

func checked(_ status: Int32) throws {
    guard status >= 0 else { throw MeasuringFailure("\(Errno(rawValue: -status))") }
}

extension Array where Element == Double {
    var median: Double { percentile(50) }

    func percentile(_ percent: Int) -> Double {
        precondition(!isEmpty)
        return sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}

/// Measures two things in turns, so that a busy machine disturbs both. Returns the medians of many batches of a
/// millisecond or less, most of which run undisturbed.
func inTurns(
    _ batches: Int = 201, _ ours: () throws -> Double, against limit: () throws -> Double
) rethrows -> (ours: Double, limit: Double) {
    var (first, second): ([Double], [Double]) = ([], [])
    for _ in 0..<batches {
        first.append(try ours())
        second.append(try limit())
    }
    return (first.median, second.median)
}

/// Nanoseconds that `body` takes.
func duration(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return Double((clock.now - start).nanoseconds)
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// Sleeps. Only benchmarks may do that.
func pause(milliseconds: UInt32) {
    limits_pause(milliseconds)
}
