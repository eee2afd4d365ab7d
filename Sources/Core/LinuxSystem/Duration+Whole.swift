// SPDX-License-Identifier: Apache-2.0

/// Converts durations to numbers. A client may pass any duration, also a negative one or one that is too long for the
/// clocks of the kernel. (`components` traps beyond 2^63 seconds.)
extension Duration {
    /// Nanoseconds, from zero to the largest number.
    package var wholeNanoseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000) }

    /// Milliseconds for poll(2) and epoll_wait(2), to which a negative number means for ever. Rounded up, because a wait
    /// that ends too early is repeated in vain.
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
