// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Runs `body` with cancellation of the calling thread disabled (pthread_setcancelstate(3)). A request to cancel the thread
/// stays pending until the thread's next cancellation point outside. A fork on another thread waits until `body` has ended or
/// waits itself, 5 ms at most, so that the child finds no lock held (`forks.c`).
///
/// Almost every system call is a cancellation point, whether it waits or not (pthreads(7)). A thread that ends in one
/// releases no lock and returns nothing that it has borrowed, because Swift functions have no cleanup handlers. Other
/// threads may wait for these. So every entry that a client's thread may take into code that holds something disables
/// cancellation once, around the whole operation. Threads of this package are never cancelled.
///
/// Inlinable, because each question goes through here, and a generic function of another module would not be specialised.
@inlinable @inline(__always)
package func withoutCancellation<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    beginWork()
    defer { endWork() }
    return try disablingCancellation(body)
}

/// The same, but the thread does not count as at work: a fork does not wait for `body`, which holds only what no child uses. All
/// threads at work write to one counter, and that is much of what a repeated question costs.
@inlinable @inline(__always)
package func disablingCancellation<Value, Failure: Error>(
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

@usableFromInline package func beginWork() { clinux_begin_work() }

@usableFromInline package func endWork() { clinux_end_work() }

/// Runs `body`, which waits for something outside this process and holds nothing. No fork waits for it.
package func waiting<Value>(_ body: () -> Value) -> Value {
    clinux_pause_work()
    defer { clinux_resume_work() }
    return body()
}
