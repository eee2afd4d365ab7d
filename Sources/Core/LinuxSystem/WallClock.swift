// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A moment on CLOCK_REALTIME (clock_gettime(2)): seconds since 1970 in UTC, without leap seconds.
package struct WallTime: Hashable, Sendable {
    package let seconds: Int64
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static var now: WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// The offset of local time from UTC at this moment, in seconds (localtime_r(3)).
    package var secondsAheadOfUTC: Int {
        tzset()
        var moment = time_t(seconds)
        var local = unsafe tm()
        guard unsafe localtime_r(&moment, &local) != nil else { return 0 }
        return unsafe local.tm_gmtoff
    }
}
