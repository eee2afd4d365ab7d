// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import NetworkFacts

/// The part of an engine that keeps watched names resolved. Lives on the engine's thread.
final class NameWatcher {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var names: [NamedHost.Key: WatchedName] = [:]
    private var guards: [ObjectIdentifier: ResolverDependencies] = [:]
    /// Names whose addresses were looked at in this round.
    private var touched: [ObjectIdentifier: WatchedName] = [:]

    init(core: EngineCore, loop: EventLoop) {
        self.core = core
        self.loop = loop
    }

    // MARK: Watching

    func add(_ subscriber: any WatchSubscriber, to host: NamedHost, _ keys: RoutingKeys) {
        if let known = names[host.key(keys)] {
            known.add(subscriber)
            core.tell { known.tell(subscriber, &$0) }
            return
        }
        let name = WatchedName(host: host, keys: keys)
        name.add(subscriber)
        names[host.key(keys)] = name
        guardResolver(of: name)
        resolve(name)
    }

    func remove(_ subscriber: any WatchSubscriber, from host: NamedHost, _ keys: RoutingKeys) {
        guard let name = names[host.key(keys)] else { return }
        name.remove(subscriber)
        guard name.isUnused else { return }
        names[host.key(keys)] = nil
        name.lookup?.cancel()
        if let timer = name.timer { loop.cancel(timer) }
        for (address, link) in name.links { core.detach(link, from: host.target(for: address), keys) }
        name.links = [:]
        releaseGuard(of: host.resolver)
    }

    // MARK: Resolving

    private func resolve(_ name: WatchedName) {
        guard name.lookup == nil else { return }
        if let timer = name.timer { loop.cancel(timer) }
        name.timer = nil
        let host = name.host
        // The answer comes on this thread, and never inside the call.
        let carrier = Handover((watcher: WeakDesk(self), name: name))
        name.lookup = host.resolver.resolve(
            host.name, on: loop, deadline: loop.now().advanced(by: host.timeout),
            enough: host.enough(core.namespace, name.keys)
        ) { resolution in
            carrier.value.name.lookup = nil
            carrier.value.watcher.watcher?.take(resolution, for: carrier.value.name)
        }
    }

    private func take(_ resolution: Resolution, for name: WatchedName) {
        guard names[name.host.key(name.keys)] === name else { return }
        // What is known stays in use while nothing better is: a server that is silent for once takes no host away.
        let isWorthless = resolution.addresses.isEmpty && resolution.outcome.saysNothingAboutTheName
        if !isWorthless || name.resolution == nil {
            replaceAddresses(of: name, by: resolution)
        } else {
            name.noteFailure()
        }
        schedule(name, after: resolution)
    }

    private func replaceAddresses(of name: WatchedName, by resolution: Resolution) {
        let (host, keys) = (name.host, name.keys)
        var links: [IPAddress: AddressObserver] = [:]
        var watches: [WatchedTarget] = []
        for address in resolution.addresses {
            let target = host.target(for: address)
            if let link = name.links[address], let watch = core.watch(of: target, keys) {
                links[address] = link
                watches.append(watch)
            } else {
                let link = AddressObserver(name, self)
                links[address] = link
                watches.append(core.attach(link, to: target, keys))
            }
        }
        for (address, link) in name.links where links[address] == nil {
            core.detach(link, from: host.target(for: address), keys)
        }
        name.links = links
        name.take(resolution, watches: watches)
        touch(name)
        core.tell { finishRound(&$0) }
    }

    private func schedule(_ name: WatchedName, after resolution: Resolution) {
        let configured = guards[ObjectIdentifier(name.host.resolver)]?.configured ?? BootTime(nanoseconds: 0)
        let next = ResolutionSchedule.next(
            after: resolution, failures: name.failures, now: loop.now(), configured: configured)
        guard let next else { return }
        name.timer = loop.schedule(at: next) { [weak self, weak name] in
            guard let self, let name else { return }
            name.timer = nil
            resolve(name)
        }
    }

    // MARK: Rounds

    func touch(_ name: WatchedName) {
        touched[ObjectIdentifier(name)] = name
    }

    /// All addresses have been looked at that had to be: now the names have one consistent answer each.
    func finishRound(_ round: inout DeliveryBatch) {
        while let (key, name) = touched.first {
            touched[key] = nil
            if name.update() { name.tellSubscribers(&round) }
        }
    }

    // MARK: What resolving depends on

    private func guardResolver(of name: WatchedName) {
        let resolver = name.host.resolver
        if let known = guards[ObjectIdentifier(resolver)] {
            known.users += 1
            return
        }
        let fresh = ResolverDependencies(resolver, name.keys)
        guards[ObjectIdentifier(resolver)] = fresh
        fresh.watchServers(self, core)
        let carrier = Handover((watcher: WeakDesk(self), guardian: WeakGuard(fresh)))
        fresh.observation = resolver.observeConfiguration(on: loop) { _ in
            guard let guardian = carrier.value.guardian.guardian else { return }
            // The first call merely says that watching has begun.
            if guardian.isObserving { carrier.value.watcher.watcher?.configurationChanged(guardian) }
            guardian.isObserving = true
        }
    }

    private func releaseGuard(of resolver: Resolver) {
        guard let known = guards[ObjectIdentifier(resolver)] else { return }
        known.users -= 1
        guard known.users == 0 else { return }
        known.unwatchServers(core)
        known.observation?.cancel()
        guards[ObjectIdentifier(resolver)] = nil
    }

    /// Where inotify is exhausted, nobody tells of a changed file. But what changes one is mostly a change of the network,
    /// at which the engine is awake, and is so again a little later.
    func lookAtFiles() {
        for guardian in guards.values { guardian.resolver.lookAtFiles(on: loop) }
    }

    private func configurationChanged(_ guardian: ResolverDependencies) {
        guardian.configured = loop.now()
        guardian.unwatchServers(core)
        guardian.watchServers(self, core)
        resolveAll(of: guardian.resolver)
    }

    /// The way to a server, or the way out, is another than before: the same name may have other addresses there.
    func pathChanged(_ guardian: ResolverDependencies) {
        guardian.resolver.startOver(on: loop)
        resolveAll(of: guardian.resolver)
    }

    private func resolveAll(of resolver: Resolver) {
        for name in names.values where name.host.resolver === resolver {
            name.forgiveFailures()
            resolve(name)
        }
    }
}

/// What failed here was the asking, not the name.
extension ResolutionOutcome {
    fileprivate var saysNothingAboutTheName: Bool {
        switch self {
        case .failed, .couldNotAsk, .deadlinePassed, .cancelled: true
        case .addresses, .noSuchName, .noData, .noServerReachable, .noServerConfigured, .impossibleName: false
        }
    }
}

/// Tells a name that one of its addresses was looked at.
final class AddressObserver: WatchSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private weak var name: WatchedName?
    private weak var watcher: NameWatcher?

    init(_ name: WatchedName, _ watcher: NameWatcher) {
        self.name = name
        self.watcher = watcher
    }

    func observe(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        if let name { watcher?.touch(name) }
        return nil
    }
}

struct WeakDesk {
    weak var watcher: NameWatcher?
    init(_ watcher: NameWatcher) { self.watcher = watcher }
}

struct WeakGuard {
    weak var guardian: ResolverDependencies?
    init(_ guardian: ResolverDependencies) { self.guardian = guardian }
}
