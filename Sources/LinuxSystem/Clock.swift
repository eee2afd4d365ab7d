// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// A moment on a clock that never jumps and goes on while the machine sleeps (CLOCK_BOOTTIME, clock_gettime(2)).
package struct BootTime: Comparable, Hashable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static let distantFuture = BootTime(nanoseconds: .max)

    package static func < (left: BootTime, right: BootTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// This moment and `duration` more; saturates instead of wrapping.
    package func advanced(by duration: Duration) -> BootTime {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, scaled >= 0 else { return seconds < 0 ? self : .distantFuture }
        let (sum, carried) = nanoseconds.addingReportingOverflow(UInt64(scaled + attoseconds / 1_000_000_000))
        return carried ? .distantFuture : BootTime(nanoseconds: sum)
    }

    /// How long it is from `earlier` until this moment; zero where that lies ahead.
    package func duration(since earlier: BootTime) -> Duration {
        guard self > earlier else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }
}

/// Where the time comes from, so that tests can hold it in their hand.
package protocol TimeSource: Sendable {
    func now() -> BootTime
}

/// The kernel's clock.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> BootTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }
}

/// How many ticks the kernel counts in one second where it reports times in `clock_t` (times(2)).
package let clockTicksPerSecond: Int64 = Int64(clinux_clock_ticks())
