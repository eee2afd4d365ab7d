// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
package import Synchronization

/// Keeps a namespace's engine running for as long as somebody uses it: started by the first, gone with the last.
package final class SharedEngine: Sendable {
    private struct Running {
        var engine: Engine?
        var users = 0
    }

    private let running = Mutex(Running())
    let counters = EngineCounters()
    /// What is asked of the kernel for the queue of announcements, from the next engine on.
    package let feedQueueBytes = Atomic<Int32>(ChangeFeed.queueBytes)

    /// The engine, for somebody who will call `release` once.
    func acquire(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        try Self.requireNoFork()
        let outcome = withoutCancellation { running.withLock { running in start(&running, for: namespace) } }
        return try outcome.get()
    }

    private func start(_ running: inout Running, for namespace: NamespaceContext) -> Result<Engine, ReachabilityError> {
        if let engine = running.engine {
            running.users += 1
            return .success(engine)
        }
        let started = Result { () throws(ReachabilityError) in try Engine(namespace: namespace, counters: counters) }
        if case .success(let engine) = started {
            running.engine = engine
            running.users = 1
        }
        return started
    }

    /// Throws in the child of a fork, which has no engine's thread, and in which what another thread of the parent has
    /// locked stays locked. Takes no lock itself.
    static func requireNoFork() throws(ReachabilityError) {
        guard ForkEpoch.current == 0 else {
            throw ReachabilityError(
                .unsupported, "watch for changes", "",
                "this process is the child of a fork and has not called exec; ask with getFlags, or watch after exec")
        }
    }

    /// Takes a subscriber away, and gives the engine back that was acquired for it.
    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        present?.remove(subscriber, from: target, keys)
        release()
    }

    func release() {
        // What was acquired before a fork is the parent's.
        guard ForkEpoch.current == 0 else { return }
        let last = running.withLock { running -> Engine? in
            running.users -= 1
            guard running.users == 0 else { return nil }
            defer { running.engine = nil }
            return running.engine
        }
        if let last { withoutCancellation { last.stop() } }
    }

    /// The engine, where it runs.
    var present: Engine? { ForkEpoch.current == 0 ? running.withLock(\.engine) : nil }

    /// How many use the engine now.
    package var userCount: Int { running.withLock(\.users) }
}
