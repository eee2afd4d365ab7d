// SPDX-License-Identifier: Apache-2.0

public import Synchronization

@_implementationOnly import CReachabilityLinux

/// A value behind a lock. It takes one word more than a `Mutex`.
///
/// `Mutex` alone does not work in the child of a fork. The kernel identifies its owner by a thread ID, which Swift reads once for
/// each thread (_swift_stdlib_gettid in _SynchronizationShims.h). The forking thread has another ID in the child, so the kernel
/// refuses to unlock a mutex for which another thread waits, and the program ends. Here threads wait for the word instead, so the
/// `Mutex` is always free for the thread that holds the word.
///
/// It is `public`, not `package`, because Swift 6.3 inlines only public functions into other modules. No product offers this
/// module to clients.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    /// 0: free. 1: held. 2: held, and others may wait.
    @usableFromInline let word = Atomic<UInt32>(0)
    @usableFromInline let mutex: Mutex<Value>

    /// Puts a value behind a free lock.
    @inlinable public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Runs `body` while no other thread has the value.
    @inlinable @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if !tryLock() { waitAndLock() }
        defer { unlock() }
        return try mutex.withLock(body)
    }

    /// The same, if no other thread has the value now; otherwise returns nil.
    @inlinable @inline(__always)
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard tryLock() else { return nil }
        defer { unlock() }
        return try mutex.withLock(body)
    }

    /// Takes something out under the lock, and releases it after unlocking, because a deinitializer of the client's may call
    /// anything. With `_ = withLock { … }`, an optimised program may release it before.
    public borrowing func remove<Removed>(_ body: (inout sending Value) -> sending Removed) {
        let removed = withLock(body)
        withExtendedLifetime(removed) {}
    }

    @inlinable @inline(__always)
    borrowing func tryLock() -> Bool {
        word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
    }

    @inlinable @inline(__always)
    borrowing func unlock() {
        if word.exchange(0, ordering: .releasing) == 2 { wakeOne() }
    }

    @usableFromInline borrowing func waitAndLock() {
        // A thread that has waited does not know whether others wait, too. So it sets 2, not 1, when it takes the lock.
        while word.exchange(2, ordering: .acquiring) != 0 {
            unsafe withUnsafePointer(to: word) { unsafe clinux_wait_while_two($0) }
        }
    }

    @usableFromInline borrowing func wakeOne() {
        unsafe withUnsafePointer(to: word) { unsafe clinux_wake_one($0) }
    }
}

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

    /// Sleeps while `holds` is true, but not longer than `limit`; nil means no limit.
    ///
    /// A thread that ended in this call would keep the lock.
    package func wait(atMost limit: Duration?, while holds: (Value) -> Bool) {
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
