// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A moment on CLOCK_BOOTTIME (clock_gettime(2)), which never jumps and continues while the machine sleeps.
public struct BootTime: Comparable, Hashable, Sendable {
    /// The nanoseconds since the machine was started.
    public let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static let distantFuture = BootTime(nanoseconds: .max)

    /// Whether a moment is before another.
    @inlinable public static func < (left: BootTime, right: BootTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment `duration` after this one. A negative duration counts as zero; one that is too long leads to
    /// `distantFuture`.
    package func advanced(by duration: Duration) -> BootTime {
        BootTime(nanoseconds: nanoseconds.addingClamped(duration.wholeNanoseconds))
    }

    /// The time from `earlier` to this moment; zero if `earlier` is later.
    package func duration(since earlier: BootTime) -> Duration {
        guard self > earlier else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }
}

/// Tells the time. Tests replace it.
package protocol TimeSource: Sendable {
    func now() -> BootTime
    /// The processor time that the calling thread has used.
    func processorTime() -> Duration
    /// How long the machine has slept since it was started: the difference between CLOCK_BOOTTIME and CLOCK_MONOTONIC.
    func timeAsleep() -> Duration
}

/// The kernel's clocks.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> BootTime {
        BootTime(nanoseconds: timespec.now(CLOCK_BOOTTIME).wholeNanoseconds)
    }

    package func processorTime() -> Duration {
        .nanoseconds(Int64(clamping: timespec.now(CLOCK_THREAD_CPUTIME_ID).wholeNanoseconds))
    }

    package func timeAsleep() -> Duration {
        while true {
            let before = timespec.now(CLOCK_MONOTONIC).wholeNanoseconds
            let sinceStart = timespec.now(CLOCK_BOOTTIME).wholeNanoseconds
            // If the thread was stopped between the two readings, both are repeated.
            guard timespec.now(CLOCK_MONOTONIC).wholeNanoseconds - before < 1_000_000_000 else { continue }
            // In a time namespace either may be ahead (time_namespaces(7)).
            return .nanoseconds(Int64(bitPattern: sinceStart &- before))
        }
    }
}

/// Ticks in a second where the kernel reports times in `clock_t` (times(2)), as in rta_cacheinfo.
package let clockTicksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))

/// A moment on CLOCK_REALTIME (clock_gettime(2)): seconds since 1970 in UTC, without leap seconds.
package struct WallTime: Hashable, Sendable {
    package let seconds: Int64
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static var now: WallTime {
        let time = timespec.now(CLOCK_REALTIME)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }
}

/// Converts durations to numbers. A client may pass any duration, also a negative one or one that is too long for the kernel's
/// clocks. (`components` traps beyond 2^63 seconds.)
extension Duration {
    /// Nanoseconds, from zero to the largest number.
    package var wholeNanoseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000) }

    /// Milliseconds for poll(2) and epoll_wait(2), for which a negative number means for ever. Rounded up, because a wait that
    /// ends too early would have to be repeated.
    package var wholeMilliseconds: Int32 {
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int32(clamping: max(0, rest > 0 ? milliseconds + 1 : milliseconds))
    }
}

extension UInt64 {
    /// The sum, or the largest number if the sum is larger.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}

extension timespec {
    /// A moment on a clock of the kernel. Clamped to the last one that a `time_t` of 32 bits can hold.
    init(wholeNanoseconds: UInt64) {
        self.init(
            tv_sec: time_t(clamping: wholeNanoseconds / 1_000_000_000), tv_nsec: Int(wholeNanoseconds % 1_000_000_000))
    }

    var wholeNanoseconds: UInt64 { UInt64(tv_sec) &* 1_000_000_000 &+ UInt64(tv_nsec) }

    /// The present time of a clock (clock_gettime(2)).
    static func now(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
