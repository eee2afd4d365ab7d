// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import NetworkFacts

/// Watches what the answers of a resolver depend on beside the names: the way out, and the way to each server. Touched
/// on the engine's thread only.
final class ResolverDependencies {
    let resolver: Resolver
    private let keys: RoutingKeys
    private var sentries: [(sentry: PathChangeObserver, target: Target)] = []
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
            let sentry = PathChangeObserver { [weak watcher, weak self] in
                if let self { watcher?.pathChanged(self) }
            }
            sentries.append((sentry, target))
            _ = core.attach(sentry, to: target, keys)
        }
    }

    func unwatchServers(_ core: EngineCore) {
        for (sentry, target) in sentries { core.detach(sentry, from: target, keys) }
        sentries = []
    }
}

/// Sounds when a path is another than when it was first looked at, or last sounded.
final class PathChangeObserver: WatchSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private let alarm: () -> Void
    private var last: Observation?

    init(_ alarm: @escaping () -> Void) {
        self.alarm = alarm
    }

    func observe(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        defer { last = observation }
        if let last, last != observation { alarm() }
        return nil
    }
}
