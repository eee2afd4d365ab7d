// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
package import NetworkFacts
import Synchronization

/// Where the path of one network namespace is had: at once, or from now on.
package struct PathSource: Sendable {
    let stack: NetworkStack

    /// The path of the calling thread's namespace.
    package init() {
        stack = StackRegistry.current.stackOfCallingThread()
    }

    /// The path of the namespace that options name.
    package init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        stack = try Place(options).stack
    }

    /// The present path, asked for now.
    ///
    /// - Parameter patience: how long to wait for NetworkManager's opinion on what is metered; nil does not ask.
    package func current(patience: Duration? = nil) throws(ReachabilityError) -> NetworkPath {
        // In the child of a fork the parent's stack may be locked for ever.
        let stack = stack.isThisProcess ? stack : StackRegistry.current.adoption(of: stack)
        guard case .netlink(let kernel) = try stack.authority() else { return try stack.udpPath() }
        let servers = try stack.systemServers()
        var facts: PathFacts
        do throws(NetlinkError) {
            facts = try kernel.withInquirer { (inquirer) throws(NetlinkError) in
                var probe = PathProbe(deviceTypes: stack.deviceTypes)
                return try probe.facts(asking: inquirer, servers: servers)
            }
        } catch {
            throw ReachabilityError(error, object: "the network path")
        }
        // Only now, as nobody may wait who holds an inquirer.
        facts.metered = patience.flatMap { stack.meteredInterface(patience: $0) }
        return NetworkPath(facts)
    }

    /// Has a subscriber told of the present path soon, and of each change, until the subscription is cancelled.
    package func subscribe(_ subscriber: any PathSubscriber) throws(ReachabilityError) -> PathSubscription {
        // Its files are read before the engine takes descriptors. What they say counts where they cannot be opened again.
        let resolver = stack.systemResolver
        let engine = try stack.engineHost.acquire(for: stack)
        engine.add(subscriber)
        return PathSubscription(subscriber, stack, resolver)
    }

    /// What the engine has done so far.
    package var statistics: ReachabilityStatistics { stack.statistics }
    /// How many use the engine now.
    package var userCount: Int { stack.engineHost.userCount }
}

/// Keeps the engine running for a subscriber until it is cancelled or let go of.
package final class PathSubscription: Sendable {
    private let subscriber: Mutex<(any PathSubscriber)?>
    let stack: NetworkStack
    private let resolver: Resolver

    fileprivate init(_ subscriber: any PathSubscriber, _ stack: NetworkStack, _ resolver: Resolver) {
        self.subscriber = Mutex(subscriber)
        self.stack = stack
        self.resolver = resolver
    }

    deinit {
        cancel()
    }

    package func cancel() {
        guard stack.isThisProcess, let subscriber = subscriber.withLock({ $0.take() }) else { return }
        stack.engineHost.remove(subscriber)
    }
}

extension EngineHost {
    /// Takes a subscriber away, and gives the engine back that was acquired for it.
    fileprivate func remove(_ subscriber: any PathSubscriber) {
        present?.remove(subscriber)
        release()
    }
}

extension Engine {
    func add(_ subscriber: any PathSubscriber) {
        loop.enqueue { [core] in core.paths.add(subscriber) }
    }

    func remove(_ subscriber: any PathSubscriber) {
        loop.enqueue { [core] in core.paths.remove(subscriber) }
    }
}

extension PathSource {
    /// The facts of the link of this name; nil where there is none.
    package func interface(named name: String) -> LinkFacts? {
        guard let index = Place.index(of: name, in: stack), let kernel = try? stack.kernel() else { return nil }
        return try? kernel.withInquirer { (inquirer) throws(NetlinkError) in
            try inquirer.conversation.listen()
            return try inquirer.facts(of: index)
        }
    }
}
