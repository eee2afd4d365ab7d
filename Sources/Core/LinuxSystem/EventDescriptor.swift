// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// An eventfd (eventfd(2)): any thread makes it readable, one thread drains it.
package struct EventDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    package init(isReadable: Bool = false) throws(Errno) {
        descriptor = try OwnedDescriptor(.eventDescriptor) {
            eventfd(isReadable ? 1 : 0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        }
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Makes the descriptor readable. The only possible failure is a full counter, and then it is readable already.
    package func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor.rawValue, &one, 8)
    }

    /// Takes the count, so that the descriptor is no longer readable.
    package func drain() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.rawValue, &count, 8)
    }
}

/// A timer descriptor (timerfd_create(2)) on CLOCK_BOOTTIME, so that timers which fell due during sleep fire after it.
package struct TimerDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// - Parameter onWallClock: whether it is a timer of CLOCK_REALTIME instead.
    package init(onWallClock: Bool = false) throws(Errno) {
        descriptor = try OwnedDescriptor(.timerDescriptor) {
            timerfd_create(onWallClock ? CLOCK_REALTIME : CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        }
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Fires once at `moment`, or at once if that has passed; nil disarms the timer. Arming makes the descriptor unreadable until
    /// then (`timerfd_setup` in fs/timerfd.c), so it is never read.
    package func arm(at moment: BootTime?) {
        var setting = itimerspec()
        // A time of zero would disarm the timer.
        if let moment { setting.it_value = timespec(wholeNanoseconds: max(1, moment.nanoseconds)) }
        _ = unsafe timerfd_settime(descriptor.rawValue, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    /// Never fires. A timer of the wall clock becomes readable when the machine has woken up, and when the clock was set, because
    /// it is then cancelled (TFD_TIMER_CANCEL_ON_SET). Calling this again makes it unreadable until the next time.
    package func armForJumps() throws(Errno) {
        var never = itimerspec()
        never.it_value.tv_sec = .max
        do throws(Errno) {
            _ = try descriptor.call(.timerDescriptor) {
                let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
                return unsafe timerfd_settime($0, flags, &never, nil)
            }
        } catch .cancelled {
            // The timer is armed all the same; the error means that there was a jump.
        }
    }
}
