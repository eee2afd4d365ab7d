// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Where callbacks run. It is one word in size, as every registration holds one, and there may be very many.
package enum CallbackPlace: Sendable {
    /// Runs callbacks in another way, such as on a run loop or a plain thread. Declared first so that it is stored as a
    /// plain pointer: valgrind and other leak checkers then find the object.
    indirect case target(any CallbackRunner)
    case queue(DispatchQueue)
}

/// Runs callbacks somewhere other than on a dispatch queue.
package protocol CallbackRunner: AnyObject, Sendable {
    /// Runs `work` later, in order, and never inside this call. Called on the engine's thread.
    func deliver(_ work: @escaping @Sendable () -> Void)
}
