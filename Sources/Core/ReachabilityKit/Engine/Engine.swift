// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Watches targets of one namespace on an event loop, with one feed of announcements.
///
/// Any thread may call it. The work is done by ``EngineCore`` on the loop's thread.
final class Engine: Sendable {
    let loop: EventLoop
    let core: EngineCore
    /// Subscribers to add and to remove, in order, in batches. One loop item for each of very many requests would leave
    /// as many holes in memory, and a single array of all of them one large hole.
    private let requests = Lock<[[Request]]>([])
    private static let requestsPerBatch = 512

    private struct Request: Sendable {
        let subscriber: any WatchSubscriber
        let target: Target
        // Stands here because the padding has room for it.
        let isAddition: Bool
        let keys: RoutingKeys
    }

    /// Opens the feed.
    init(namespace: NamespaceContext, loop: EventLoop) throws(ReachabilityError) {
        let kernel = try namespace.source().requireNetlink()
        self.loop = loop
        core = EngineCore(
            loop: loop, namespace: namespace, kernel: kernel, counters: namespace.sharedEngine.counters)
        do throws(NetlinkError) {
            let feed = try namespace.openFeed()
            loop.enqueue { [core] in core.feed.begin(with: feed.value) }
        } catch {
            throw ReachabilityError(error)
        }
    }

    /// Ends the watching. The loop must still run, or be turned once more.
    func stop() {
        core.namespace.resolvers.forget(loop)
        loop.enqueue { [core, loop] in
            core.end()
            // A change that was announced meanwhile may have had names looked up again.
            core.namespace.resolvers.forget(loop)
        }
    }

    /// Notifies `subscriber` of the present verdict and of each change, until `remove`.
    ///
    /// Never inlined, and neither is `remove`: otherwise the suspended task of each waiter would keep a kilobyte for the
    /// temporaries of these functions.
    @inline(never)
    func add(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) {
        enqueue(Request(subscriber: subscriber, target: target, isAddition: true, keys: keys))
    }

    @inline(never)
    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        enqueue(Request(subscriber: subscriber, target: target, isAddition: false, keys: keys))
    }

    private func enqueue(_ request: Request) {
        let isFirst = requests.withLock { batches in
            let isFirst = batches.isEmpty
            if isFirst || batches[batches.count - 1].count == Self.requestsPerBatch {
                batches.append([])
            }
            batches[batches.count - 1].append(request)
            return isFirst
        }
        if isFirst { loop.enqueue { self.performRequests() } }
    }

    private func performRequests() {
        let (batch, areMore) = requests.withLock { batches in
            let batch = batches.removeFirst()
            return (batch, !batches.isEmpty)
        }
        if areMore { loop.enqueue { self.performRequests() } }
        for request in batch {
            if request.isAddition {
                core.add(request.subscriber, to: request.target, request.keys)
            } else {
                core.remove(request.subscriber, from: request.target, request.keys)
            }
        }
    }
}

extension Engine {
    /// Ends a waiter's wait when its time is up.
    func finish(_ waiter: Waiter, after timeout: Duration) {
        loop.enqueue { [loop] in
            waiter.timer.value = loop.schedule(at: loop.now().advanced(by: timeout)) { waiter.finish(.timedOut) }
        }
    }

    /// Cancels the timer of a waiter whose wait has ended.
    func cancelTimer(of waiter: Waiter) {
        loop.enqueue { [loop] in
            if let timer = waiter.timer.value { loop.cancel(timer) }
            waiter.timer.value = nil
        }
    }
}
