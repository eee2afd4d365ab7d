// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs `body` without the calling thread ending in it, should it be cancelled (pthread_cancel(3)): a request to end
/// waits until the thread's next cancellation point outside.
///
/// Almost every system call is a cancellation point, whether it waits or not (pthreads(7)). A thread that ends there
/// unlocks nothing and gives nothing back, since a Swift function has no clean-up to run when it is unwound. Other
/// threads may wait for what it holds.
@inline(__always)
package func withoutCancellation<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    var previous: Int32 = 0
    unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &previous)
    defer { pthread_setcancelstate(previous, nil) }
    return try body()
}
