// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A value behind a lock, with a condition to wait for.
///
/// `Synchronization.Mutex` has no condition, and a descriptor for each waiter would exhaust the descriptors of a process
/// with many waiting threads.
@safe package final class ConditionLock<Value>: @unchecked Sendable {
    // pthread objects must not move, so each has its own memory. The lock guards `value`.
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

    /// Wakes all waiters, which then check their conditions.
    package func broadcast() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// Sleeps while `holds` is true, at most for `limit`; nil means without end.
    ///
    /// A thread that ended in this call would keep the lock.
    package func wait(atMost limit: Duration?, while holds: (Value) -> Bool) {
        withoutCancellation {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            guard let limit else {
                while holds(value) { _ = waiting { unsafe pthread_cond_wait(condition, mutex) } }
                return
            }
            let now = timespec.now(CLOCK_MONOTONIC).wholeNanoseconds
            var end = timespec(wholeNanoseconds: now.addingClamped(limit.wholeNanoseconds))
            while holds(value) {
                let status = waiting { unsafe pthread_cond_timedwait(condition, mutex, &end) }
                if status == ETIMEDOUT { return }
            }
        }
    }
}
