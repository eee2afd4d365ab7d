// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// When a file is to be written next. Pure: the time is given.
///
/// The first change is written at once. Others that follow closely are written together, so that a flapping link costs ten
/// files a second at most. After a failure there are tries with growing pauses, because nothing announces that a disk has
/// room again. Otherwise no timer runs.
struct WriteSchedule {
    static let interval: Duration = .milliseconds(100)
    static let pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

    /// Nil if there is nothing to write.
    private(set) var deadline: BootTime?
    private var earliest = BootTime(nanoseconds: 0)
    private var pause = pauses.lowerBound

    /// There is something new to write.
    mutating func contentChanged(at now: BootTime) {
        deadline = min(deadline ?? .distantFuture, max(now, earliest))
    }

    /// All that is known was written.
    mutating func written(at now: BootTime) {
        deadline = nil
        earliest = now.advanced(by: Self.interval)
        pause = Self.pauses.lowerBound
    }

    mutating func failed(at now: BootTime) {
        deadline = now.advanced(by: pause)
        earliest = now.advanced(by: Self.interval)
        pause = min(pause * 2, Self.pauses.upperBound)
    }

    func isDue(at now: BootTime) -> Bool { deadline.map { now >= $0 } ?? false }
}
