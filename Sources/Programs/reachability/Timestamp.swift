// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A time as text.
enum Timestamp {
    /// In UTC to the millisecond, as RFC 3339 writes it: 2026-11-21T07:04:05.678Z.
    static func rfc3339(_ time: WallTime) -> String {
        let (date, clock) = parts(time.seconds)
        return "\(date)T\(clock).\(padded(time.nanoseconds / 1_000_000, 3))Z"
    }

    /// In the local time zone, to the second: 2026-11-21 07:04:05.
    static func local(_ time: WallTime) -> String {
        let (date, clock) = parts(time.seconds + Int64(time.secondsAheadOfUTC))
        return "\(date) \(clock)"
    }

    /// In seconds since 1970, to the millisecond: 1763708645.678.
    static func unix(_ time: WallTime) -> String {
        "\(time.seconds).\(padded(time.nanoseconds / 1_000_000, 3))"
    }

    private static func parts(_ seconds: Int64) -> (date: String, clock: String) {
        var seconds = time_t(seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let date = unsafe [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map { padded($0, 2) }
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0, 2) }
        return (date.joined(separator: "-"), clock.joined(separator: ":"))
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
