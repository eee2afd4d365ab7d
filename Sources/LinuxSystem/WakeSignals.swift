// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// An eventfd (eventfd(2)): any thread can make it readable, one thread drains it.
package struct EventDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try OwnedDescriptor(
            owning: valueOrErrno(.eventDescriptor) { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Makes the descriptor readable. Cannot fail in a way that matters: a full counter is readable already.
    package func signal() {
        var one: UInt64 = 1
        withoutCancellation { _ = unsafe write(descriptor.rawValue, &one, 8) }
    }

    package func drain() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.rawValue, &count, 8)
    }
}

/// A timer descriptor on CLOCK_BOOTTIME (timerfd_create(2)), so that resuming from sleep fires what came due.
package struct TimerDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try OwnedDescriptor(
            owning: valueOrErrno(.timerDescriptor) {
                timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
            })
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Fires once at `moment`; nil disarms. A moment that has passed fires at once.
    package func arm(at moment: BootTime?) {
        var setting = itimerspec()
        if let moment {
            // All zeroes would disarm, so the origin of time is written as its first nanosecond.
            setting.it_value = timespec(wholeNanoseconds: max(1, moment.nanoseconds))
        }
        _ = unsafe timerfd_settime(descriptor.rawValue, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    package func drain() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.rawValue, &count, 8)
    }
}
