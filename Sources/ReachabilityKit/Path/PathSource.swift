// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
package import NetworkFacts
import Synchronization

/// Where the path of one network namespace is had: at once, or from now on.
package struct PathSource: Sendable {
    let namespace: NamespaceContext

    /// The path of the calling thread's namespace.
    package init() {
        namespace = NamespaceRegistry.current.namespaceOfCallingThread()
    }

    /// The path of the namespace that options name.
    package init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        namespace = try LookupContext(options).namespace
    }

    /// The present path, asked for now.
    ///
    /// - Parameter patience: how long to wait for NetworkManager's opinion on what is metered; nil does not ask.
    package func current(patience: Duration? = nil) throws(ReachabilityError) -> NetworkPath {
        try withoutCancellation { () throws(ReachabilityError) in try askForPath(patience: patience) }
    }

    private func askForPath(patience: Duration?) throws(ReachabilityError) -> NetworkPath {
        // In the child of a fork the parent's stack may be locked for ever.
        let namespace = namespace.isThisProcess ? namespace : NamespaceRegistry.current.adoption(of: namespace)
        guard case .netlink(let kernel) = try namespace.source() else { return try namespace.udpPath() }
        let servers = try namespace.systemServers()
        var facts: PathFacts
        do throws(NetlinkError) {
            facts = try kernel.withRouteClient { (routeClient) throws(NetlinkError) in
                var probe = PathFactsReader(deviceTypes: namespace.deviceTypes)
                return try probe.facts(asking: routeClient, servers: servers)
            }
        } catch {
            throw ReachabilityError(error, object: "the network path")
        }
        // Only now, as nobody may wait who holds an inquirer.
        facts.metered = patience.flatMap { namespace.meteredInterface(patience: $0) }
        return NetworkPath(facts)
    }

    /// Has a subscriber told of the present path soon, and of each change, until the subscription is cancelled.
    package func subscribe(_ subscriber: any PathSubscriber) throws(ReachabilityError) -> PathSubscription {
        // Its files are read before the engine takes descriptors. What they say counts where they cannot be opened again.
        let resolver = namespace.systemResolver
        let engine = try namespace.sharedEngine.acquire(for: namespace)
        engine.add(subscriber)
        return PathSubscription(subscriber, namespace, resolver)
    }

    /// What the engine has done so far.
    package var statistics: ReachabilityStatistics { namespace.statistics }
    /// How many use the engine now.
    package var userCount: Int { namespace.sharedEngine.userCount }
}

/// Keeps the engine running for a subscriber until it is cancelled or let go of.
package final class PathSubscription: Sendable {
    private let subscriber: Mutex<(any PathSubscriber)?>
    let namespace: NamespaceContext
    private let resolver: Resolver

    fileprivate init(_ subscriber: any PathSubscriber, _ namespace: NamespaceContext, _ resolver: Resolver) {
        self.subscriber = Mutex(subscriber)
        self.namespace = namespace
        self.resolver = resolver
    }

    deinit {
        cancel()
    }

    package func cancel() {
        guard namespace.isThisProcess, let subscriber = subscriber.withLock({ $0.take() }) else { return }
        namespace.sharedEngine.remove(subscriber)
    }
}

extension SharedEngine {
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
        guard let index = LookupContext.index(of: name, in: namespace),
            let kernel = try? namespace.source().requireNetlink()
        else {
            return nil
        }
        return try? kernel.withRouteClient { (routeClient) throws(NetlinkError) in
            try routeClient.requester.listen()
            return try routeClient.facts(of: index)
        }
    }
}
