// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityRoutes

extension Machine {
    /// Returns when everything of this package in this process that watches this machine's network has evaluated all changes that
    /// the kernel has announced so far, and has put its callbacks on their queues. For a test that expects no callback.
    ///
    /// A callback may still be waiting on its queue; `queue.sync {}` waits for it. This does not wait for answers of name servers
    /// that are on their way, nor for a `ReachabilityWatcher`, whose program processes events itself.
    public func settle() throws(MachineError) {
        for context in NamespaceRegistry.current.namespaces(of: namespace.identity) {
            guard let engine = context.sharedEngine.present else { continue }
            let settled = DispatchSemaphore(value: 0)
            Self.ask(engine, toSignal: settled)
            guard settled.wait(timeout: .now() + .seconds(Int(Self.timeout.components.seconds))) == .success else {
                throw .timedOut(waitingFor: "the end of all looks at the network of \(name)", last: "")
            }
        }
    }

    private static func ask(_ engine: Engine, toSignal semaphore: DispatchSemaphore) {
        let token = SignalAtEnd(semaphore)
        engine.loop.enqueue { [core = engine.core] in core.whenSettled { token.signal() } }
    }
}

/// Signals once: when it is asked to, or when nobody can ask any more because an engine has ended.
private final class SignalAtEnd: Sendable {
    private let semaphore: DispatchSemaphore

    init(_ semaphore: DispatchSemaphore) { self.semaphore = semaphore }

    deinit { semaphore.signal() }

    /// Needs no code: the semaphore is signalled when this object is released, soon after.
    func signal() {}
}
