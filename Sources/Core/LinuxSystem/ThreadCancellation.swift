// SPDX-License-Identifier: Apache-2.0

/// Runs `body` with cancellation of the calling thread disabled (pthread_setcancelstate(3)). A request to cancel the thread
/// stays pending until the thread's next cancellation point outside.
///
/// Almost every system call is a cancellation point, whether it waits or not (pthreads(7)). A thread that ends in one
/// releases no lock and returns nothing that it has borrowed, because Swift functions have no cleanup handlers. Other
/// threads may wait for these. So every entry that a client's thread may take into code that holds something disables
/// cancellation once, around the whole operation. Threads of this package are never cancelled.
///
/// Inlinable, because each question goes through here, and a generic function of another module would not be specialised.
@inlinable @inline(__always)
package func withoutCancellation<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
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
