// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
import NetworkFacts

/// Somebody who wants to know the path, now and when it changes. Called on the engine's thread; must not wait.
package protocol PathSubscriber: AnyObject, Sendable {
    func observe(_ path: NetworkPath)
}

/// The part of an engine that keeps the path current. Lives on the engine's thread, and does nothing while nobody
/// wants to know.
final class PathWatcher {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var subscribers: [ObjectIdentifier: any PathSubscriber] = [:]
    private var newcomers: [ObjectIdentifier: any PathSubscriber] = [:]
    private var probe: PathFactsReader
    private var period: Period?
    private lazy var metering = Metering(core.namespace, loop) { [weak self] in self?.lookSoon() }

    /// What there is from the first subscriber to the last, and nothing of it after that.
    private struct Period {
        let sentry: PathChangeObserver
        let observation: CancellationToken
        var path: NetworkPath?
        /// A look is due.
        var isDirty = false
    }

    private static let retryDelay: Duration = .milliseconds(100)

    init(core: EngineCore, loop: EventLoop) {
        self.core = core
        self.loop = loop
        probe = PathFactsReader(deviceTypes: core.namespace.deviceTypes)
    }

    // MARK: Subscribers

    func add(_ subscriber: any PathSubscriber) {
        if subscribers.isEmpty, newcomers.isEmpty { begin() }
        // All that come together are told of one look.
        if newcomers.isEmpty { loop.enqueue { [weak core] in core?.paths.takeInNewcomers() } }
        newcomers[ObjectIdentifier(subscriber)] = subscriber
    }

    func remove(_ subscriber: any PathSubscriber) {
        subscribers[ObjectIdentifier(subscriber)] = nil
        newcomers[ObjectIdentifier(subscriber)] = nil
        if subscribers.isEmpty, newcomers.isEmpty { end() }
    }

    private func begin() {
        // The kernel keeps back announcements of routes that nobody watches; those of default routes are wanted from
        // now on. The sentry also sounds when one ends of itself, which is never announced.
        let sentry = PathChangeObserver { [weak self] in self?.lookSoon() }
        _ = core.attach(sentry, to: .defaultPath, RoutingKeys())
        let observation = core.namespace.systemResolver.observeConfiguration(on: loop) { [weak core] _ in
            core?.paths.lookSoon()
        }
        period = Period(sentry: sentry, observation: observation)
    }

    private func end() {
        guard let period else { return }
        self.period = nil
        core.detach(period.sentry, from: .defaultPath, RoutingKeys())
        period.observation.cancel()
        metering.end()
        probe.forgetInventory()
    }

    /// What was known before they came may be older than what they know themselves, so everything is asked anew.
    private func takeInNewcomers() {
        guard !newcomers.isEmpty else { return }
        probe.forgetInventory()
        look()
    }

    // MARK: Changes

    /// The engine has looked at dirt. Only routes that could cover the default path concern it.
    func look(after changes: PendingChanges) {
        guard period != nil else { return }
        if changes.links { probe.forgetInventory() }
        lookAgain(after: changes)
    }

    /// The same a little later. Links and addresses are announced after they have changed, so they are not asked for
    /// anew; routes before.
    func lookAgain(after changes: PendingChanges) {
        guard let period else { return }
        // Where inotify is exhausted, this is when one finds out that the servers have changed.
        core.namespace.systemResolver.lookAtFiles(on: loop)
        if period.isDirty || changes.everything || changes.prefixes.contains(where: Self.concernsDefault) { look() }
    }

    private static func concernsDefault(_ prefix: Prefix) -> Bool {
        TargetLookup.behindDefault.contains(where: prefix.contains)
    }

    func lookSoon() {
        guard period?.isDirty == false else { return }
        period?.isDirty = true
        loop.enqueue { [weak core] in core?.paths.lookIfDirty() }
    }

    private func lookIfDirty() {
        if period?.isDirty == true { look() }
    }

    // MARK: Looking

    private func look() {
        period?.isDirty = false
        do throws(NetlinkError) {
            tell(try currentPath())
        } catch {
            core.counters.count { $0.failures += 1 }
            // What was dumped may be half of what there is.
            probe.forgetInventory()
            loop.schedule(at: loop.now().advanced(by: Self.retryDelay)) { [weak self] in self?.lookSoon() }
        }
    }

    private func currentPath() throws(NetlinkError) -> NetworkPath {
        let servers = try currentServers()
        let dumps = probe.dumps
        defer { core.counters.count { $0.inventories += probe.dumps - dumps } }
        return try core.kernel.withRouteClient { (routeClient) throws(NetlinkError) in
            var facts = try probe.facts(asking: routeClient, servers: servers)
            facts.metered = metering.interface
            return NetworkPath(facts)
        }
    }

    private func currentServers() throws(NetlinkError) -> [ServerAddress] {
        do throws(Errno) {
            return try core.namespace.systemResolver.knownServers()
        } catch {
            throw .system(.open, error)
        }
    }

    private func tell(_ path: NetworkPath) {
        let before = period?.path
        period?.path = path
        let newcomers = newcomers
        self.newcomers = [:]
        if path != before { for subscriber in subscribers.values { subscriber.observe(path) } }
        for newcomer in newcomers.values { newcomer.observe(path) }
        subscribers.merge(newcomers) { $1 }
        // A bus that comes and goes for ever must not be what makes us look for it.
        let isAnotherWay = path.withoutMetering != before?.withoutMetering
        if isAnotherWay { metering.seek() }
    }
}

extension NamespaceContext {
    /// The resolver as the system's files configure it.
    var systemResolver: Resolver {
        resolver(ResolverPool.Key(servers: nil, device: nil, source: nil, keys: RoutingKeys()))
    }

    /// The name servers that the system's files name. Fails where these cannot be read for want of descriptors or memory.
    func systemServers() throws(ReachabilityError) -> [ServerAddress] {
        let resolver = systemResolver
        do throws(Errno) {
            return try resolver.knownServers()
        } catch {
            throw .kernel("read", resolver.environment.resolvConfPath, error)
        }
    }
}
