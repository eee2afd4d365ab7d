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

    /// This moment and `duration` more; this moment itself where the duration is over, and the last one there is where it
    /// is too long.
    package func advanced(by duration: Duration) -> BootTime {
        BootTime(nanoseconds: nanoseconds.addingClamped(duration.wholeNanoseconds))
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
        BootTime(nanoseconds: timespec.now(CLOCK_BOOTTIME).wholeNanoseconds)
    }
}

/// How many ticks the kernel counts in one second where it reports times in `clock_t` (times(2)).
package let clockTicksPerSecond: Int64 = Int64(clinux_clock_ticks())
