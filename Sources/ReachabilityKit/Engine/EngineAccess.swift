// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Keeps a namespace's engine running for somebody who does work of his own on its thread.
package final class EngineAccess: Sendable {
    /// The engine's loop, which runs as long as this lease lives.
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

    /// Has `body` told of what there is to see now, for a name as soon as it is resolved, and of each change a client
    /// could see. It is called on the engine's thread.
    package func follow(_ reference: ReachabilityRef, _ body: @escaping @Sendable (ObservedState) -> Void) -> Following
    {
        Following(engine, reference, body)
    }
}

/// Somebody's wish to be told of changes, until it is cancelled.
package final class Following: Sendable {
    private let engine: Engine
    private let reference: ReachabilityRef
    private let observer: StateObserver

    fileprivate init(
        _ engine: Engine, _ reference: ReachabilityRef, _ body: @escaping @Sendable (ObservedState) -> Void
    ) {
        self.engine = engine
        self.reference = reference
        observer = StateObserver(body)
        engine.add(observer, to: reference.target, reference.keys)
    }

    /// To be called once. On the engine's thread nothing is told after it.
    package func cancel() {
        observer.end()
        engine.remove(observer, from: reference.target, reference.keys)
    }
}
