// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

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
    /// When the configuration was last seen to change.
    var configured = BootTime(nanoseconds: 0)

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
            _ = core.attach(observer, to: target, keys)
        }
    }

    func unwatchServers(_ core: EngineCore) {
        for (observer, target) in observers { core.detach(observer, from: target, keys) }
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

    func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        defer { last = observation }
        if let last, last != observation { changed() }
        return nil
    }
}
