// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A moment on CLOCK_BOOTTIME (clock_gettime(2)), which never jumps and goes on while the machine sleeps.
package struct BootTime: Comparable, Hashable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static let distantFuture = BootTime(nanoseconds: .max)

    package static func < (left: BootTime, right: BootTime) -> Bool {
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
}

/// The kernel's clock.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> BootTime {
        BootTime(nanoseconds: timespec.now(CLOCK_BOOTTIME).wholeNanoseconds)
    }
}

/// Ticks in a second where the kernel reports times in `clock_t` (times(2)).
package let clockTicksPerSecond: Int64 = Int64(clinux_clock_ticks())
