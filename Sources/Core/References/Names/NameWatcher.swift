// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// Keeps the names that are watched on an engine resolved. For the engine, the addresses of a name are a group. Confined to the
/// engine's thread.
final class NameWatcher: EngineAddition {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var names: [NamedHost.Key: WatchedName] = [:]
    private var dependencies: [ObjectIdentifier: ResolverDependencies] = [:]

    private init(_ core: EngineCore) {
        self.core = core
        loop = core.loop
    }

    /// The name watcher of an engine, made at the first call.
    static func on(_ core: EngineCore) -> NameWatcher {
        if let known = core.addition as? NameWatcher { return known }
        let made = NameWatcher(core)
        core.addition = made
        return made
    }

    // MARK: Watching

    func add(_ subscriber: any Subscriber, to host: NamedHost, _ keys: RoutingKeys) {
        if let known = names[host.key(keys)] {
            known.group.add(subscriber)
            core.ask(about: known.group, for: subscriber)
            if known.failures != nil { retry(known) }
            return
        }
        let name = WatchedName(host: host, keys: keys)
        name.group.add(subscriber)
        names[host.key(keys)] = name
        watchDependencies(of: name)
        resolve(name)
    }

    /// Forgets all names. No subscriber is notified any more.
    func end() {
        for name in names.values {
            name.lookup?.cancel()
            name.group.set([], from: nil)
        }
        for known in dependencies.values { known.notifier.remove(known) }
        (names, dependencies) = ([:], [:])
    }

    func fail(_ error: ReachabilityError) {
        let failed = names.values
        end()
        for name in failed { name.group.subscribers.forEach { $0.end(because: error) } }
    }

    func remove(_ subscriber: any Subscriber, from host: NamedHost, _ keys: RoutingKeys) {
        guard let name = names[host.key(keys)] else { return }
        name.group.remove(subscriber)
        if name.group.subscribers.isEmpty { forget(name) }
    }

    private func forget(_ name: WatchedName) {
        let (host, keys) = (name.host, name.keys)
        names[host.key(keys)] = nil
        name.lookup?.cancel()
        if let timer = name.timer { loop.cancel(timer) }
        core.set(name.group, to: [], keys, from: nil)
        unwatchDependencies(of: host.resolver)
    }

    // MARK: Resolving

    private func resolve(_ name: WatchedName) {
        guard name.lookup == nil else { return }
        if let timer = name.timer { loop.cancel(timer) }
        name.timer = nil
        let host = name.host
        // Called on this thread, and never before `resolve` has returned.
        let completion = SentToLoop({ [weak self] (resolution: Resolution) in
            name.lookup = nil
            self?.lookupEnded(resolution, for: name)
        })
        name.lookup = host.resolver.resolve(
            host.query, on: loop, deadline: loop.now().advanced(by: host.timeout),
            enough: host.enough(core.namespace, name.keys)
        ) { resolution in
            completion.value(resolution)
        }
    }

    private func lookupEnded(_ resolution: Resolution, for name: WatchedName) {
        guard names[name.host.key(name.keys)] === name else { return }
        core.trace.note("resolved \(name.host.name): \(resolution.addresses)")
        // This is permanent: the thread has given up a privilege (setns(2); SO_MARK in socket(7)).
        if case .couldNotAsk(.notPermitted) = resolution.outcome {
            forget(name)
            let error = ReachabilityError.kernel("resolve", name.host.name.description, .notPermitted)
            let subscribers = name.group.subscribers
            subscribers.forEach(name.group.remove)
            subscribers.forEach { $0.end(because: error) }
            return
        }
        // The known addresses stay in use until there is a better answer: a server that does not answer for a while does not make
        // a host unreachable.
        let isWorthless = resolution.addresses.isEmpty && resolution.outcome.saysNothingAboutTheName
        name.count(resolution)
        if !isWorthless || name.resolution == nil { replaceAddresses(of: name, by: resolution) }
        schedule(name, after: resolution)
    }

    private func replaceAddresses(of name: WatchedName, by resolution: Resolution) {
        let targets = name.host.counted(resolution.addresses).map(name.host.target)
        core.set(name.group, to: targets, name.keys, from: resolution)
    }

    /// Resolves a name at once that could not be resolved before.
    private func retry(_ name: WatchedName) {
        name.clearFailures()
        resolve(name)
    }

    private func schedule(_ name: WatchedName, after resolution: Resolution) {
        guard let next = ResolutionSchedule.next(after: resolution, failures: name.failures ?? 0, now: loop.now())
        else {
            return
        }
        name.timer = loop.schedule(at: next) { [weak self, weak name] in
            guard let self, let name else { return }
            name.timer = nil
            resolve(name)
        }
    }

    // MARK: What resolving depends on

    private func watchDependencies(of name: WatchedName) {
        let resolver = name.host.resolver
        if let known = dependencies[ObjectIdentifier(resolver)] {
            known.users += 1
            return
        }
        let added = ResolverDependencies(resolver, on: loop, name.keys.toNameServers)
        dependencies[ObjectIdentifier(resolver)] = added
        added.watchServers(self, core)
        added.notifier.add(added) { [weak self, weak added] in
            if let added { self?.configurationChanged(added) }
        }
    }

    private func unwatchDependencies(of resolver: Resolver) {
        guard let known = dependencies[ObjectIdentifier(resolver)] else { return }
        known.users -= 1
        guard known.users == 0 else { return }
        known.unwatchServers(core)
        known.notifier.remove(known)
        dependencies[ObjectIdentifier(resolver)] = nil
    }

    /// Checks the configuration files where inotify is exhausted and does not report changes; these mostly come together with a
    /// change of the network. Also, this machine's own name has other addresses after some changes. The evaluation that follows
    /// already uses them, so its subscribers are notified once.
    func evaluationWillBegin(at changes: PendingChanges) {
        for known in dependencies.values { known.notifier.lookWithoutEvents() }
        guard changes.links else { return }
        for name in names.values where name.resolution?.origin == .ownHostName {
            switch name.host.resolver.begin(name.host.query, isEnough: \.isComplete) {
            case .ask: resolve(name)
            case .answer(let present) where present.addresses == name.resolution?.addresses: break
            case .answer(let present): replaceAddresses(of: name, by: present)
            }
        }
    }

    private func configurationChanged(_ changed: ResolverDependencies) {
        changed.unwatchServers(core)
        changed.watchServers(self, core)
        resolveAll(of: changed.resolver)
    }

    /// The route to a name server, or the default path, has changed. There, the same name may have other addresses.
    func pathChanged(_ changed: ResolverDependencies) {
        changed.resolver.startOver(on: loop)
        resolveAll(of: changed.resolver)
    }

    private func resolveAll(of resolver: Resolver) {
        for name in names.values where name.host.resolver === resolver {
            retry(name)
        }
    }
}

extension ResolutionOutcome {
    /// Whether asking failed, so that the outcome says nothing about the name.
    fileprivate var saysNothingAboutTheName: Bool {
        switch self {
        case .failed, .couldNotAsk, .deadlinePassed, .cancelled: true
        case .addresses, .noSuchName, .noData, .noServerReachable, .noServerConfigured, .impossibleName: false
        }
    }
}

/// Watches what a resolver's answers depend on: the configuration files, the default path, and the route to each name server.
/// Confined to the engine's thread.
final class ResolverDependencies {
    let resolver: Resolver
    let notifier: ConfigurationNotifier
    private let keys: RoutingKeys
    private var observers: [(observer: Observer, target: Target)] = []
    /// How many watched names use the resolver.
    var users = 1

    init(_ resolver: Resolver, on loop: EventLoop, _ keys: RoutingKeys) {
        (self.resolver, self.keys) = (resolver, keys)
        notifier = resolver.notifier(on: loop)
    }

    func watchServers(_ watcher: NameWatcher, _ core: EngineCore) {
        let changed = SentToLoop({ [weak watcher, weak self] in
            if let self { watcher?.pathChanged(self) }
        })
        let servers = resolver.configuredServers.map { Target($0.address) }
        for target in Set(servers + [.defaultPath]) {
            let last = Lock<Observation?>(nil)
            let observer = Observer { watch, _ in
                guard let answer = watch.answer else { return }
                let isFirstOrSame = last.withLock { last in
                    defer { last = answer }
                    return last == nil || last == answer
                }
                if !isFirstOrSame { changed.value() }
            }
            observers.append((observer, target))
            core.add(observer, to: target, keys)
        }
    }

    func unwatchServers(_ core: EngineCore) {
        for (observer, target) in observers { core.remove(observer, from: target, keys) }
        observers = []
    }
}
