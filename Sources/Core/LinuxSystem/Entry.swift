// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Runs `body` while the calling thread cannot be cancelled, and while a fork on another thread waits for it. All work that a
/// client or another library calls for is done inside this function.
///
/// *Cancellation* is disabled (pthread_setcancelstate(3)); a request stays pending until the thread's next cancellation point
/// outside. Almost every system call is a cancellation point, whether it waits or not (pthreads(7)). A thread that ended in one
/// would release no lock and return nothing that it has borrowed, because Swift functions have no cleanup handlers.
///
/// *A fork* on another thread waits until `body` has ended or is waiting itself, but not longer than 250 ms, so that no lock is
/// held in the child: neither one of this package, nor the one under which Swift's runtime makes the metadata of a type
/// (`forks.c`).
///
/// Calls can be nested, and only the outermost one has a cost. It is public so that it can be inlined into its callers (see
/// `Lock`).
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

/// Asserts that the caller is within `undisturbed`; it is called where work is done for which a fork must wait.
package func checkUndisturbed() {
    assert(clinux_is_at_work(), "outside `undisturbed`")
}

/// Makes the release of an object count as work: its deinitializer calls `begin`, and its last stored property has this type. The
/// stored properties are released after the deinitializer has returned, and for that, too, Swift's runtime makes metadata. An
/// initializer that may throw sets it last: if it throws, the properties that it has set are released, and the deinitializer does
/// not run.
package struct EndOfRelease: ~Copyable, Sendable {
    package init() {}

    deinit { endWork() }

    package static func begin() { beginWork() }
}

/// Runs `body`, which waits for something outside this process. No fork waits for it. The thread cannot be cancelled, because it
/// may hold the object with which it waits.
package func waiting<Value>(_ body: () -> Value) -> Value {
    let before = clinux_pause_work(false)
    defer { clinux_resume_work(before) }
    return body()
}

/// Runs `body`, which is the client's code, while nothing is held. No fork waits for it, and the thread can be cancelled as
/// before the call into this package.
package func callingOut<Value>(_ body: () -> Value) -> Value {
    let before = clinux_pause_work(true)
    defer { clinux_resume_work(before) }
    return body()
}

/// Disables cancellation only; no fork waits. This is for requests that find a kept answer, and hold only things that no child
/// uses. The counter of working threads, to which all threads write, would be a large part of the cost of such a request.
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
