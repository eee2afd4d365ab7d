// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// The configuration files, read once for all resolvers that share this object, and again when one has changed.
package final class ConfigurationFiles: Sendable {
    private let environment: ResolverEnvironment
    private let contents: Mutex<ConfigurationContents>
    private let notifiers = Mutex(WeakTable<ObjectIdentifier, ConfigurationNotifier>())

    package init(_ environment: ResolverEnvironment) {
        self.environment = environment
        contents = Mutex(ConfigurationContents(reading: environment, after: nil))
    }

    /// What the files say now.
    var current: ConfigurationContents {
        let known = contents.withLock(\.self)
        if known.isCurrent { return known }
        let fresh = ConfigurationContents(reading: environment, after: known)
        return contents.withLock { contents in
            // Two threads may have noticed. The later reading has the more recent contents.
            if fresh.generation > contents.generation { contents = fresh }
            return contents
        }
    }

    /// The notifier on a loop.
    func notifier(on loop: EventLoop) -> ConfigurationNotifier {
        notifiers.withLock { notifiers in
            if let known = notifiers[ObjectIdentifier(loop)] { return known }
            let notifier = ConfigurationNotifier(self, loop)
            notifiers.insert(notifier, for: ObjectIdentifier(loop))
            return notifier
        }
    }
}
