// SPDX-License-Identifier: Apache-2.0

/// Counts how often the machine has slept for over a minute, by comparing the clocks each time it is asked. Servers may have
/// closed connections during such a sleep. Several sleeps between two readings count as one.
package final class SleepCounter: Sendable {
    /// One counter for the whole process, so that its counts can be compared.
    package static let ofProcess = SleepCounter()

    /// Connections survive a shorter sleep.
    package static let shortest: Duration = .seconds(60)

    private struct State {
        /// How long the machine had slept at the last reading.
        var asleep: Duration
        var count: UInt64 = 0
    }

    private let time: any TimeSource
    private let state: Lock<State>

    package init(_ time: any TimeSource = SystemTime()) {
        self.time = time
        state = Lock(State(asleep: time.timeAsleep()))
    }

    /// The sleeps since this object was made.
    package var count: UInt64 {
        state.withLock { [time] state in
            let asleep = time.timeAsleep()
            if asleep - state.asleep > Self.shortest { state.count += 1 }
            state.asleep = asleep
            return state.count
        }
    }
}

/// Tells an engine that the machine has slept. Tests replace it.
package struct SleepSource: Sendable {
    package var counter = SleepCounter.ofProcess
    package var openJumps: @Sendable () throws(Errno) -> ClockJumps = { () throws(Errno) in try ClockJumps() }

    package init() {}
}

/// Reports that the machine has woken up, or that its clock was set.
package final class ClockJumps: Sendable {
    package let timer: TimerDescriptor

    package init() throws(Errno) {
        timer = try TimerDescriptor(onWallClock: true)
        try timer.armForJumps()
    }
}
