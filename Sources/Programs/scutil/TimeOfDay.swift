// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The local time, as Apple's tool prints it.
enum TimeOfDay {
    /// `%2d:%02d:%02d.%03d`
    static var now: String {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        var local = unsafe tm()
        unsafe localtime_r(&now.tv_sec, &local)
        return unsafe padded(Int(local.tm_hour), 2, " ") + ":" + padded(Int(local.tm_min), 2) + ":"
            + padded(Int(local.tm_sec), 2) + "." + padded(now.tv_nsec / 1_000_000, 3)
    }

    private static func padded(_ number: Int, _ width: Int, _ pad: String = "0") -> String {
        let digits = "\(number)"
        return String(repeating: pad, count: max(0, width - digits.count)) + digits
    }
}
