// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// A value behind a lock, and a way to sleep until somebody changes it.
///
/// `Synchronization.Mutex` has no condition to wait on, and a descriptor per waiter would run a process with many
/// waiting threads out of them.
@safe package final class ConditionLock<Value>: @unchecked Sendable {
    // pthread objects must not move, so they live in memory of their own. The lock guards `value`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        precondition(unsafe pthread_mutex_init(mutex, nil) == 0)
        precondition(unsafe clinux_init_condition(condition) == 0)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Wakes every waiter to look again.
    package func broadcast() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// Sleeps while `condition` holds, at most for `limit` (nil: without end).
    package func wait(atMost limit: Duration?, while holds: (Value) -> Bool) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard let limit else {
            withoutCancellation {
                while holds(value) { unsafe pthread_cond_wait(condition, mutex) }
            }
            return
        }
        let now = timespec.now(CLOCK_MONOTONIC).wholeNanoseconds
        var end = timespec(wholeNanoseconds: now.addingClamped(limit.wholeNanoseconds))
        withoutCancellation {
            while holds(value) {
                if unsafe pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return }
            }
        }
    }
}
