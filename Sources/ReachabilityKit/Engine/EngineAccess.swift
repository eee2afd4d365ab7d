// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Keeps a namespace's engine running for a client that does work of its own on the engine's thread.
package final class EngineAccess: Sendable {
    /// The engine's loop. It runs as long as this object lives.
    package let loop: EventLoop
    private let engine: Engine
    private let namespace: NamespaceContext

    package init(_ namespace: NamespaceContext) throws(ReachabilityError) {
        engine = try namespace.sharedEngine.acquire(for: namespace)
        loop = engine.loop
        self.namespace = namespace
    }

    deinit {
        namespace.sharedEngine.release()
    }

    /// Calls `body` on the engine's thread with the present state, for a name as soon as it is resolved, and with each
    /// change that a client could see.
    ///
    /// - Returns: ends this. If it is cancelled on the engine's thread, `body` is not called afterwards.
    package func follow(
        _ reference: ReachabilityRef, _ body: @escaping @Sendable (ObservedState) -> Void
    ) -> CancellationToken {
        let observer = StateObserver(body)
        engine.add(observer, to: reference.target, reference.keys)
        return CancellationToken { [engine] in
            observer.end()
            engine.remove(observer, from: reference.target, reference.keys)
        }
    }
}
