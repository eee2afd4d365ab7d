// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts
import Synchronization

/// Watches targets of one namespace for everybody in this process: one thread, one feed of changes.
///
/// This is its outside, which may be called from any thread. What it does is in ``EngineCore``.
final class Engine: Sendable {
    let loop: EventLoop
    let core: EngineCore
    private let resolvers: ResolverPool
    /// Who comes and who goes, in order, some at a time: where very many come at once, an item of the loop's for each
    /// would leave as many holes in memory, and all of them together one large one.
    private let arrivals = Mutex<[[Arrival]]>([])
    private static let arrivalsAtOnce = 512

    private struct Arrival: Sendable {
        let subscriber: any WatchSubscriber
        let target: Target
        // Here, where it takes no room.
        let stays: Bool
        let keys: RoutingKeys
    }

    /// Opens the feed and starts the thread.
    init(namespace: NamespaceContext, counters: EngineCounters) throws(ReachabilityError) {
        let kernel = try namespace.source().requireNetlink()
        let loop: EventLoop
        do throws(Errno) {
            loop = try EventLoop(name: "reachability")
        } catch {
            throw .kernel("start the engine", "", error)
        }
        self.loop = loop
        resolvers = namespace.resolvers
        core = EngineCore(loop: loop, namespace: namespace, kernel: kernel, counters: counters)
        do throws(NetlinkError) {
            let feed = try namespace.openFeed()
            kernel.routingGeneration.idleCheck.fast.join(loop)
            loop.enqueue { [core] in core.begin(with: feed.value) }
        } catch {
            loop.stop()
            throw ReachabilityError(error)
        }
    }

    func stop() {
        resolvers.forget(loop)
        loop.enqueue { [core] in core.end() }
        loop.stop()
    }

    /// Has `subscriber` told of the present verdict, and of every change of it.
    ///
    /// Never inlined, here and below: a waiter's suspended task would hold the room for what is only put together here,
    /// in a kilobyte of its own.
    @inline(never)
    func add(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) {
        enqueue(Arrival(subscriber: subscriber, target: target, stays: true, keys: keys))
    }

    @inline(never)
    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        enqueue(Arrival(subscriber: subscriber, target: target, stays: false, keys: keys))
    }

    private func enqueue(_ arrival: Arrival) {
        let isFirst = arrivals.withLock { arrivals in
            let isFirst = arrivals.isEmpty
            if isFirst || arrivals[arrivals.count - 1].count == Self.arrivalsAtOnce {
                arrivals.append([])
            }
            arrivals[arrivals.count - 1].append(arrival)
            return isFirst
        }
        if isFirst { loop.enqueue { self.takeInArrivals() } }
    }

    private func takeInArrivals() {
        let (some, areMore) = arrivals.withLock { arrivals in
            let some = arrivals.removeFirst()
            return (some, !arrivals.isEmpty)
        }
        if areMore { loop.enqueue { self.takeInArrivals() } }
        for arrival in some {
            if arrival.stays {
                core.add(arrival.subscriber, to: arrival.target, arrival.keys)
            } else {
                core.remove(arrival.subscriber, from: arrival.target, arrival.keys)
            }
        }
    }
}

extension NamespaceContext {
    /// A feed of this namespace's changes, for a thread that need not be in it.
    func openFeed() throws(NetlinkError) -> Handover<ChangeFeed> {
        let queueBytes = sharedEngine.feedQueueBytes.load(ordering: .relaxed)
        return try inside { () throws(NetlinkError) in
            do throws(Errno) {
                return Handover(try ChangeFeed(queueBytes: queueBytes))
            } catch {
                throw .system(.open, error)
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

    /// Takes the timer of a waiter away whose wait is over.
    func forgetTimer(of waiter: Waiter) {
        loop.enqueue { [loop] in
            if let timer = waiter.timer.value { loop.cancel(timer) }
            waiter.timer.value = nil
        }
    }
}

/// Passes something made on one thread to the one that will use it alone.
struct Handover<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
