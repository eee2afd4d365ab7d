// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityResolverFiles

/// What the resolvers of one namespace share: the configuration files, the loop of threads that wait for their lookups, and the
/// threads that ask modules of the C library.
package final class ResolverShare: Sendable {
    let files: ConfigurationFiles
    let modules = ModuleThreads()
    private let loopOfCallers = Lock<CallerLoop?>(nil)

    package init(_ files: ConfigurationFiles) {
        self.files = files
    }

    /// The loop of threads that wait for their lookups. Fails if descriptors or memory are exhausted.
    func callerLoop() throws(Errno) -> CallerLoop {
        if let known = presentCallerLoop { return known }
        let made = try CallerLoop(files)
        return loopOfCallers.withLock { known in
            if let known, known.loop.failure == nil { return known }
            known = made
            return made
        }
    }

    var presentCallerLoop: CallerLoop? { loopOfCallers.withLock(\.self).flatMap { $0.loop.failure == nil ? $0 : nil } }
}
