// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Counts how often the machine has slept for over a minute, from looks at the clocks. Servers may have given connections up
/// meanwhile. Several sleeps between two looks count as one.
package final class SleepCounter: Sendable {
    /// The whole process has one, so that what it has counted can be compared.
    package static let ofProcess = SleepCounter()

    /// Connections outlive a shorter sleep.
    package static let shortest: Duration = .seconds(60)

    private struct State {
        /// How long the machine had slept at the last look.
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

/// How an engine learns that the machine has slept. Tests replace it.
package struct SleepSource: Sendable {
    package var counter = SleepCounter.ofProcess
    package var openJumps: @Sendable () throws(Errno) -> ClockJumps = { () throws(Errno) in try ClockJumps() }

    package init() {}
}

/// A descriptor that is readable after the machine has woken up, and after its clock was set: a timer of CLOCK_REALTIME that
/// never expires and is cancelled then (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)).
package final class ClockJumps: Sendable {
    private let descriptor: OwnedDescriptor

    package convenience init() throws(Errno) {
        let timer = try OwnedDescriptor(.timerDescriptor) {
            timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        }
        var never = itimerspec()
        never.it_value.tv_sec = .max
        _ = try timer.call(.timerDescriptor) {
            unsafe timerfd_settime($0, Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET), &never, nil)
        }
        self.init(timer)
    }

    package init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Makes the descriptor quiet. The timer goes on, and is cancelled again at the next jump (timerfd_read in fs/timerfd.c).
    /// Returns why the descriptor is not quiet: a filter of system calls refuses read(2).
    package func drain() -> Errno? {
        let error = descriptor.drain()
        return error == .cancelled ? nil : error
    }
}
