// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Runs `body` while the calling thread cannot be cancelled, and while a fork on another thread waits for it. All that a function does
/// which a client or another library calls is done in here.
///
/// *Cancellation* is disabled (pthread_setcancelstate(3)); a request stays pending until the thread's next cancellation point
/// outside. Almost every system call is a cancellation point, whether it waits or not (pthreads(7)), and a thread that ends in
/// one releases no lock and returns nothing that it has borrowed, because Swift functions have no cleanup handlers.
///
/// *A fork* on another thread waits until `body` has ended or waits itself, 250 ms at most, so that the child finds no lock held:
/// neither of this package, nor of Swift's runtime, which makes the metadata of a type under one (`forks.c`).
///
/// Calls nest, and only the outermost costs anything. It is public so that it is compiled into its callers (see `Lock`).
@inlinable @inline(__always)
public func undisturbed<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    beginWork()
    defer { endWork() }
    return try body()
}

/// The two halves of `undisturbed`, for an initializer, whose body cannot be a closure.
@usableFromInline package func beginWork() { clinux_begin_work() }

@usableFromInline package func endWork() {
    assert(clinux_is_at_work(), "endWork() without beginWork()")
    clinux_end_work()
}

/// Lets the release of an object count as work: its deinitializer calls `begin`, and its last stored property is of this type. The
/// stored properties are released after the deinitializer has returned, and for that, too, Swift's runtime makes metadata. An
/// initializer that may throw sets it last: if it throws, what it has set is released, and the deinitializer does not run.
package struct EndOfRelease: ~Copyable, Sendable {
    package init() {}

    deinit { endWork() }

    package static func begin() { beginWork() }
}

/// Runs `body`, which waits for something outside this process. No fork waits for it. The thread cannot be cancelled: it may hold what
/// it waits with.
package func waiting<Value>(_ body: () -> Value) -> Value {
    let before = clinux_pause_work(false)
    defer { clinux_resume_work(before) }
    return body()
}

/// Runs `body`, which is the client's code, while nothing is held. No fork waits for it, and the thread can be cancelled as it could
/// be before.
package func callingOut<Value>(_ body: () -> Value) -> Value {
    let before = clinux_pause_work(true)
    defer { clinux_resume_work(before) }
    return body()
}

/// Only disables cancellation; no fork waits. This is for a question that finds a kept answer, and holds only what no child uses: the
/// counter of the threads at work, to which all of them write, would be much of what such a question costs.
@inlinable @inline(__always)
public func disablingCancellation<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    let previous = disableCancellation()
    defer { restoreCancellation(previous) }
    return try body()
}

/// Returns the former state.
@usableFromInline package func disableCancellation() -> Int32 {
    var previous: Int32 = 0
    unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &previous)
    return previous
}

@usableFromInline package func restoreCancellation(_ state: Int32) {
    pthread_setcancelstate(state, nil)
}
