// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Keeps a namespace's engine running for a client that does work of its own on the engine's thread.
package final class EngineAccess: Sendable {
    /// The engine's loop. It runs as long as this object lives.
    package let loop: EventLoop
    private let namespace: NamespaceContext

    package init(_ namespace: NamespaceContext) throws(ReachabilityError) {
        loop = try namespace.sharedEngine.acquire(for: namespace).loop
        self.namespace = namespace
    }

    deinit {
        if namespace.isThisProcess {
            namespace.sharedEngine.release()
        } else {
            ForkEpoch.abandon(namespace)
            ForkEpoch.abandon(loop)
        }
    }
}
