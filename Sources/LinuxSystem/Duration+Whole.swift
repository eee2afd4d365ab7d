// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client may pass any duration: a negative one, or one that no clock of the kernel's can count. Here it becomes a
/// number, and nowhere else. (`components` traps beyond 2^63 seconds.)
extension Duration {
    /// Nanoseconds; none where it is over, and the largest number where there are more.
    package var wholeNanoseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000) }

    /// Milliseconds as poll(2) and epoll_wait(2) take them, to which a negative number means for ever. Rounded up: a wait
    /// that ends too early is waited again for nothing.
    package var wholeMilliseconds: Int32 {
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int32(clamping: max(0, rest > 0 ? milliseconds + 1 : milliseconds))
    }
}

extension UInt64 {
    /// The sum, or the largest number where that is larger.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}

extension timespec {
    /// A moment on one of the kernel's clocks; with a `time_t` of 32 bits the last that it holds, where it holds no more.
    init(wholeNanoseconds: UInt64) {
        self.init(
            tv_sec: time_t(clamping: wholeNanoseconds / 1_000_000_000), tv_nsec: Int(wholeNanoseconds % 1_000_000_000))
    }

    var wholeNanoseconds: UInt64 { UInt64(tv_sec) &* 1_000_000_000 &+ UInt64(tv_nsec) }

    /// What a clock shows (clock_gettime(2)).
    static func now(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
