// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A time as text.
enum Timestamp {
    /// In UTC to the millisecond, as RFC 3339 writes it: 2026-11-21T07:04:05.678Z.
    static func rfc3339(_ time: WallTime) -> String {
        let (date, clock) = parts(time.seconds)
        return "\(date)T\(clock).\(padded(Int64(time.nanoseconds) / 1_000_000, 3))Z"
    }

    /// In the local time zone, to the second: 2026-11-21 07:04:05.
    static func local(_ time: WallTime) -> String {
        let (date, clock) = parts(time.seconds + Int64(time.secondsAheadOfUTC))
        return "\(date) \(clock)"
    }

    /// In seconds since 1970, to the millisecond: 1763708645.678.
    static func unix(_ time: WallTime) -> String {
        "\(time.seconds).\(padded(Int64(time.nanoseconds) / 1_000_000, 3))"
    }

    private static func parts(_ seconds: Int64) -> (date: String, clock: String) {
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - day * 86_400
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return (date(ofDay: day), clock)
    }

    /// The Gregorian date of a day counted from 1970-01-01. Years begin in March here, so that a leap day is the last
    /// day of its year. 400 years always have 146,097 days.
    private static func date(ofDay day: Int64) -> String {
        let shifted = day + 719_468  // days from 0000-03-01 to 1970-01-01
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String { "\(number)".padded(to: width) }
}
