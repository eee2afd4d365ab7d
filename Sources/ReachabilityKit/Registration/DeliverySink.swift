// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Where callbacks run. One word, as there is one in each of very many registrations.
package enum DeliverySink: Sendable {
    /// Something else that runs what it is given, later and in order: a run loop, a plain thread. The first case is kept
    /// as a plain pointer, so that tools that look for lost memory, such as valgrind, find what it leads to.
    indirect case target(any DeliveryTarget)
    case queue(DispatchQueue)
}

/// A place of one's own for callbacks to run in.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// Has `work` run later, never inside this call. Called on the engine's thread.
    func deliver(_ work: @escaping @Sendable () -> Void)
}
