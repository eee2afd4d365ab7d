// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem

/// The result of a C function that returns a negated errno if it fails.
func checked(_ value: Double) throws -> Double {
    guard value >= 0 else { throw Errno(rawValue: Int32(-value)) }
    return value
}

func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The anonymous resident memory of this process in bytes (RssAnon in proc_pid_status(5)).
func residentMemory() -> Int {
    let bytes = (try? Files.contents(of: "/proc/self/status")) ?? []
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
}

extension Array where Element == Double {
    var median: Double { percentile(50) }

    func percentile(_ percent: Int) -> Double {
        precondition(!isEmpty)
        return sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}
