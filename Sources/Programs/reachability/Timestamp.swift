// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityLinuxSystem

/// A time as text.
enum Timestamp {
    /// In UTC to the millisecond, as RFC 3339 writes it: 2026-11-21T07:04:05.678Z.
    static func rfc3339(_ time: WallTime) -> String {
        let (date, clock) = parts(time.seconds)
        return "\(date)T\(clock).\(padded(time.nanoseconds / 1_000_000, 3))Z"
    }

    /// In the local time zone, to the second: 2026-11-21 07:04:05, and 07:04:05 if it is on the same day as another time.
    static func local(_ time: WallTime, today: WallTime) -> String {
        let (date, clock) = parts(time.seconds + Int64(time.secondsAheadOfUTC))
        let isToday = date == parts(today.seconds + Int64(today.secondsAheadOfUTC)).date
        return isToday ? clock : "\(date) \(clock)"
    }

    /// In seconds since 1970, to the millisecond: 1763708645.678.
    static func unix(_ time: WallTime) -> String {
        "\(time.seconds).\(padded(time.nanoseconds / 1_000_000, 3))"
    }

    private static func parts(_ seconds: Int64) -> (date: String, clock: String) {
        var (moment, fields) = unsafe (time_t(seconds), tm())
        _ = unsafe gmtime_r(&moment, &fields)
        let (year, month, day) = unsafe (padded(fields.tm_year + 1900, 4), fields.tm_mon + 1, fields.tm_mday)
        let clock = unsafe [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded($0, 2) }.joined(separator: ":")
        return ("\(year)-\(padded(month, 2))-\(padded(day, 2))", clock)
    }

    private static func padded(_ number: Int32, _ width: Int) -> String { "\(number)".padded(to: width) }
}
