// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// Keeps the names that are watched on an engine resolved. A name is judged by the best of its addresses, which are looked at
/// together. Confined to the engine's thread.
final class NameWatcher: LookParticipant {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var names: [NamedHost.Key: WatchedName] = [:]
    private var dependencies: [ObjectIdentifier: ResolverDependencies] = [:]
    /// Names that have an address with a new answer, or other addresses than before.
    private var touched: [ObjectIdentifier: WatchedName] = [:]

    private init(_ core: EngineCore) {
        self.core = core
        loop = core.loop
    }

    /// The one of an engine, made at the first call.
    static func on(_ core: EngineCore) -> NameWatcher {
        if let known = core.participant as? NameWatcher { return known }
        let made = NameWatcher(core)
        core.participant = made
        return made
    }

    // MARK: Watching

    func add(_ subscriber: any ReferenceSubscriber, to host: NamedHost, _ keys: RoutingKeys) {
        if let known = names[host.key(keys)] {
            known.add(subscriber)
            core.lookSoon(at: known.watches, if: { known.has(subscriber) }) { known.notify(subscriber, &$0) }
            if known.failures != nil { retry(known) }
            return
        }
        let name = WatchedName(host: host, keys: keys)
        name.add(subscriber)
        names[host.key(keys)] = name
        watchDependencies(of: name)
        resolve(name)
    }

    /// Forgets all names. No subscriber is notified any more.
    func end() {
        for name in names.values { name.stopResolving() }
        (names, dependencies, touched) = ([:], [:], [:])
    }

    func fail(_ error: ReachabilityError) {
        let failed = names.values
        end()
        for name in failed {
            for subscriber in name.subscribers.values { subscriber.end(because: error) }
        }
    }

    func remove(_ subscriber: any ReferenceSubscriber, from host: NamedHost, _ keys: RoutingKeys) {
        guard let name = names[host.key(keys)] else { return }
        name.remove(subscriber)
        if name.subscribers.isEmpty { forget(name) }
    }

    private func forget(_ name: WatchedName) {
        let (host, keys) = (name.host, name.keys)
        names[host.key(keys)] = nil
        name.stopResolving()
        if let timer = name.timer { loop.cancel(timer) }
        for (address, observer) in name.addressObservers {
            core.remove(observer, from: host.target(for: address), keys)
        }
        name.addressObservers = [:]
        unwatchDependencies(of: host.resolver)
    }

    // MARK: Resolving

    private func resolve(_ name: WatchedName) {
        guard name.lookup == nil else { return }
        if let timer = name.timer { loop.cancel(timer) }
        name.timer = nil
        name.discovery.take()?.cancel()
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
        // For good: this thread has given up a privilege (setns(2); SO_MARK in socket(7)).
        if case .couldNotAsk(.notPermitted) = resolution.outcome {
            forget(name)
            let error = ReachabilityError.kernel("resolve", name.host.name.description, .notPermitted)
            for subscriber in name.subscribers.values { subscriber.end(because: error) }
            return
        }
        // The known addresses stay in use until there is a better answer: a server that is silent for a while does not
        // make a host unreachable.
        let isWorthless = resolution.addresses.isEmpty && resolution.outcome.saysNothingAboutTheName
        name.count(resolution)
        if !isWorthless || name.resolution == nil {
            replaceAddresses(of: name, by: resolution)
            core.deliver(because: .name) { lookDidEnd(&$0) }
        }
        schedule(name, after: resolution)
    }

    private func replaceAddresses(of name: WatchedName, by resolution: Resolution) {
        let (host, keys) = (name.host, name.keys)
        var observers: [IPAddress: AddressObserver] = [:]
        var watches: [WatchedTarget] = []
        var hasNewAddress = false
        for address in host.counted(resolution.addresses) {
            let target = host.target(for: address)
            if let observer = name.addressObservers[address], let watch = core.watch(of: target, keys) {
                observers[address] = observer
                watches.append(watch)
            } else {
                let observer = AddressObserver(name, self)
                observers[address] = observer
                watches.append(core.add(observer, to: target, keys))
                hasNewAddress = true
            }
        }
        for (address, observer) in name.addressObservers where observers[address] == nil {
            core.remove(observer, from: host.target(for: address), keys)
        }
        name.addressObservers = observers
        name.setResolution(resolution, watches: watches)
        // Others may watch the address, and know an older answer than the look for this name will find.
        if !hasNewAddress { touch(name) }
    }

    /// Resolves a name at once that could not be resolved before.
    private func retry(_ name: WatchedName) {
        name.clearFailures()
        resolve(name)
    }

    private func schedule(_ name: WatchedName, after resolution: Resolution) {
        if name.failures != nil {
            // A reference that was asked meanwhile must not know better for long.
            let handler = SentToLoop({ [weak self, weak name] in
                if let name { self?.retry(name) }
            })
            name.discovery = name.host.resolver.whenFound(name.host.query, on: loop) { handler.value() }
        }
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

    // MARK: Answers

    /// Has the name's answer worked out again at the end of the look.
    fileprivate func touch(_ name: WatchedName) {
        touched[ObjectIdentifier(name)] = name
    }

    /// Notifies the subscribers of names whose answers have changed.
    func lookDidEnd(_ batch: inout DeliveryBatch) {
        while let (key, name) = touched.first {
            touched[key] = nil
            if name.update() {
                core.trace.told(of: name.host.name.description, name.observation)
                name.notifySubscribers(&batch)
            } else if name.wantsEveryLook {
                name.notifyOfSameAnswer(&batch)
            }
        }
    }

    // MARK: What resolving depends on

    private func watchDependencies(of name: WatchedName) {
        let resolver = name.host.resolver
        if let known = dependencies[ObjectIdentifier(resolver)] {
            known.users += 1
            return
        }
        let added = ResolverDependencies(resolver, name.keys.toNameServers)
        dependencies[ObjectIdentifier(resolver)] = added
        added.watchServers(self, core)
        let handler = SentToLoop({ [weak self, weak added] in
            guard let added else { return }
            // The first call only says that watching has begun.
            if added.isObserving { self?.configurationChanged(added) }
            added.isObserving = true
        })
        added.observation = resolver.observeConfiguration(on: loop) { _ in
            handler.value()
        }
    }

    private func unwatchDependencies(of resolver: Resolver) {
        guard let known = dependencies[ObjectIdentifier(resolver)] else { return }
        known.users -= 1
        guard known.users == 0 else { return }
        known.unwatchServers(core)
        known.observation?.cancel()
        dependencies[ObjectIdentifier(resolver)] = nil
    }

    /// Checks the configuration files where inotify is exhausted and does not report changes. These mostly come with a change of the
    /// network. And this machine's own name has other addresses after some changes: the look is at these already, so that its
    /// subscribers are told once.
    func lookWillBegin(at changes: PendingChanges) {
        for known in dependencies.values { known.resolver.lookAtFiles(on: loop) }
        guard changes.links else { return }
        for name in names.values where name.resolution?.origin == .thisMachine {
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

    /// The route to a server, or the default path, has changed. The same name may have other addresses there.
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

/// Has a name's answer worked out again when that of one of its addresses has changed.
final class AddressObserver: WatchSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private weak var name: WatchedName?
    private weak var watcher: NameWatcher?

    init(_ name: WatchedName, _ watcher: NameWatcher) {
        self.name = name
        self.watcher = watcher
    }

    /// An address that is watched from now on is mostly that of a name.
    var cause: ChangeKinds { .name }
    var wantsEveryLook: Bool { name?.wantsEveryLook ?? false }
    var companions: [WatchedTarget] { name?.watches ?? [] }

    func notify(_ observation: Observation, _ batch: inout DeliveryBatch) {
        if let name { watcher?.touch(name) }
    }

    func noteRefusal(because causes: ChangeKinds) {
        if let name { watcher?.touch(name) }
    }
}

/// Watches the routes on which a resolver's answers depend: the default path, and the route to each name server. Confined
/// to the engine's thread.
final class ResolverDependencies {
    let resolver: Resolver
    private let keys: RoutingKeys
    private var observers: [(observer: PathChangeObserver, target: Target)] = []
    /// How many watched names use the resolver.
    var users = 1
    var isObserving = false
    var observation: CancellationToken?

    init(_ resolver: Resolver, _ keys: RoutingKeys) {
        self.resolver = resolver
        self.keys = keys
    }

    func watchServers(_ watcher: NameWatcher, _ core: EngineCore) {
        let servers = resolver.configuredServers.map { Target($0.address) }
        for target in Set(servers + [.defaultPath]) {
            let observer = PathChangeObserver { [weak watcher, weak self] in
                if let self { watcher?.pathChanged(self) }
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

/// Calls its handler at each change of an answer, but not for the first answer.
final class PathChangeObserver: WatchSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private let changed: () -> Void
    private var last: Observation?

    init(_ changed: @escaping () -> Void) {
        self.changed = changed
    }

    func notify(_ observation: Observation, _ batch: inout DeliveryBatch) {
        defer { last = observation }
        if let last, last != observation { changed() }
    }
}
