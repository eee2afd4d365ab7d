// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

extension Resolver {
    /// Finds the addresses of a name without blocking the calling thread.
    ///
    /// `completion` is called exactly once, on the loop's thread and never inside this call. It is not called if the
    /// loop is stopped before. Deadline and `enough` mean the same as in the blocking form.
    ///
    /// - Parameter progress: called on the loop's thread with the addresses of one family, before those of the other
    ///   are known.
    /// - Returns: ends this wait and no other. `completion` is then called with `.cancelled`.
    package func resolve(
        _ name: HostName, on loop: EventLoop, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool,
        progress: @escaping @Sendable ([IPAddress]) -> Void = { _ in },
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> CancellationToken {
        lookups(on: loop).start(
            name, self, deadline: deadline, enough: enough, progress: progress, completion: completion)
    }

    /// Calls `handler` on the loop's thread once, and whenever a configuration file has changed. Lookups that run
    /// there start again without being told. `isWatching` is false where inotify is exhausted. A change is then noticed
    /// by `lookAtFiles`, and when a name is looked up on the loop.
    ///
    /// - Returns: ends the observation, and keeps the resolver until then. Without it, the observation lasts as long as
    ///   the resolver and the loop.
    @discardableResult
    package func observeConfiguration(
        on loop: EventLoop, _ handler: @escaping @Sendable (_ isWatching: Bool) -> Void
    ) -> CancellationToken {
        lookups(on: loop).observe(handler, self)
    }

    /// Looks for changed files where inotify is exhausted, and does nothing elsewhere. An observer calls it, on the
    /// loop's thread, when it is awake for another reason.
    package func lookAtFiles(on loop: EventLoop) {
        lookups(on: loop).lookAtFiles()
    }

    /// Whether a timer or a socket of lookups could still wake the loop. To be called on its thread.
    package func hasWork(on loop: EventLoop) -> Bool {
        lookups(on: loop).hasWork
    }

    /// To be called after a change of the network. Forgets what servers have answered, and asks the open questions on
    /// the loop once more: an answer to the old source address would never arrive.
    package func startOver(on loop: EventLoop) {
        emptyCache()
        lookups(on: loop).startOver(self)
    }

    /// Releases a loop that is about to end.
    package func forget(_ loop: EventLoop) {
        removeLookups(on: loop)?.close()
    }
}
