// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// One wait for a name on an event loop.
package final class LookupToken: Sendable {
    private let part: AsyncLookups
    private let number: UInt64

    init(_ part: AsyncLookups, _ number: UInt64) {
        self.part = part
        self.number = number
    }

    /// Ends this wait, and no other: its completion is called with `.cancelled`, unless it has been called already.
    package func cancel() {
        part.cancel(number)
    }
}

/// One wish to be told of changed configuration files. It keeps the resolver, which knows what they said last.
package final class ConfigurationObservation: Sendable {
    private let resolver: Resolver
    private let part: AsyncLookups
    private let number: UInt64

    init(_ resolver: Resolver, _ part: AsyncLookups, _ number: UInt64) {
        self.resolver = resolver
        self.part = part
        self.number = number
    }

    /// Ends it. Without, it lasts as long as the resolver and the loop.
    package func cancel() {
        part.forgetObserver(number)
    }
}

extension Resolver {
    /// Finds the addresses of a name without blocking anybody.
    ///
    /// `completion` is called exactly once, on the loop's thread and never inside this call, unless the loop is stopped
    /// before. Deadline and `enough` are those of the blocking form.
    package func resolve(
        _ name: HostName, on loop: EventLoop, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool,
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> LookupToken {
        part(on: loop).begin(name, self, deadline: deadline, enough: enough, completion: completion)
    }

    /// Calls `handler` on the loop's thread once, and whenever a configuration file has changed. Lookups that run
    /// there begin anew by themselves. `isWatching` is false where inotify is exhausted: then a change is found out by
    /// `lookAtFiles`, and when a name is looked up on the loop.
    @discardableResult
    package func observeConfiguration(
        on loop: EventLoop, _ handler: @escaping @Sendable (_ isWatching: Bool) -> Void
    ) -> ConfigurationObservation {
        part(on: loop).observe(handler, self)
    }

    /// Finds out about changed files where inotify is exhausted, and does nothing elsewhere. On the loop's thread, for
    /// who observes there and is awake anyway.
    package func lookAtFiles(on loop: EventLoop) {
        part(on: loop).lookAtFiles()
    }

    /// Whether a timer or a socket of lookups could still wake the loop; asked on its thread.
    package func hasWork(on loop: EventLoop) -> Bool {
        part(on: loop).hasWork
    }
}
