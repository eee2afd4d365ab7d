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

    /// Opens the feed and starts the thread.
    init(stack: NetworkStack, counters: EngineCounters) throws(ReachabilityError) {
        let kernel = try stack.kernel()
        let loop: EventLoop
        do throws(Errno) {
            loop = try EventLoop(name: "reachability")
        } catch {
            throw .kernel("start the engine", "", error)
        }
        self.loop = loop
        resolvers = stack.resolvers
        core = EngineCore(loop: loop, stack: stack, kernel: kernel, counters: counters)
        do throws(NetlinkError) {
            let feed = try stack.openFeed()
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
    func add(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) {
        loop.enqueue { [core] in core.add(subscriber, to: target, keys) }
    }

    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        loop.enqueue { [core] in core.remove(subscriber, from: target, keys) }
    }
}

extension NetworkStack {
    /// A feed of this namespace's changes, for a thread that need not be in it.
    func openFeed() throws(NetlinkError) -> Handover<ChangeFeed> {
        let queueBytes = engineHost.feedQueueBytes.load(ordering: .relaxed)
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
