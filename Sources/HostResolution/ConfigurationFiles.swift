// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// The configuration files, read once for all resolvers that share this object, and again when one has changed.
package final class ConfigurationFiles: Sendable {
    private let environment: ResolverEnvironment
    private let contents: Mutex<ConfigurationContents>
    private let parts = Mutex(WeakTable<ObjectIdentifier, ConfigurationNotifier>())

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
            // Of two threads that noticed, the one that read later has the more recent contents.
            if fresh.generation > contents.generation { contents = fresh }
            return contents
        }
    }

    /// The part of this object that lives on a loop.
    func part(on loop: EventLoop) -> ConfigurationNotifier {
        parts.withLock { parts in
            if let part = parts[ObjectIdentifier(loop)] { return part }
            let part = ConfigurationNotifier(self, loop)
            parts.insert(part, for: ObjectIdentifier(loop))
            return part
        }
    }
}
