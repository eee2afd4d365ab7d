// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
package import Synchronization

/// Counts the users of a namespace's engine. The first user starts the engine, and the last one stops it.
package final class SharedEngine: Sendable {
    private struct Running {
        var engine: Engine?
        var users = 0
    }

    private let running = Lock(Running())
    let counters = EngineCounters()
    /// The size of the queue of announcements that the next engine asks the kernel for.
    package let feedQueueBytes = Atomic<Int32>(AnnouncementSocket.queueBytes)

    /// Returns the engine. The caller calls `release` once.
    func acquire(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        let outcome = withoutCancellation { running.withLock { running in start(&running, for: namespace) } }
        return try outcome.get()
    }

    private func start(_ running: inout Running, for namespace: NamespaceContext) -> Result<Engine, ReachabilityError> {
        let engine = Result { () throws(ReachabilityError) in
            if let present = running.engine, present.loop.failure == nil { return present }
            return try Self.makeEngine(for: namespace)
        }
        if case .success(let engine) = engine {
            running.engine = engine
            running.users += 1
        }
        return engine
    }

    private static func makeEngine(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        let loop: EventLoop
        do throws(Errno) {
            loop = try EventLoop(name: "reachability")
        } catch {
            throw .kernel("start the engine", "", error)
        }
        do throws(ReachabilityError) {
            return try Engine(namespace: namespace, loop: loop)
        } catch {
            loop.stop()
            throw error
        }
    }

    /// Removes a subscriber, and releases the engine that was acquired for it.
    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        present?.remove(subscriber, from: target, keys)
        release()
    }

    func release() {
        let last = running.withLock { running -> Engine? in
            running.users -= 1
            guard running.users == 0 else { return nil }
            defer { running.engine = nil }
            return running.engine
        }
        guard let last else { return }
        withoutCancellation {
            last.stop()
            last.loop.stop()
        }
    }

    /// The engine if it is running.
    var present: Engine? { running.withLock(\.engine) }

    package var userCount: Int { running.withLock(\.users) }
}
