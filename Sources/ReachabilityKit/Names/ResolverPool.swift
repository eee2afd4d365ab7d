// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem
import Netlink
package import NetworkFacts
import Synchronization

/// The resolvers of one namespace: references that would ask the same servers in the same way share one. It goes with the
/// last of them. All share what is known of the configuration files.
package final class ResolverPool: Sendable {
    package struct Key: Hashable, Sendable {
        var servers: [ServerAddress]?
        var device: String?
        var source: IPAddress?
        var keys: RoutingKeys

        package init(servers: [ServerAddress]?, device: String?, source: IPAddress?, keys: RoutingKeys) {
            (self.servers, self.device, self.source, self.keys) = (servers, device, source, keys)
        }
    }

    private struct State {
        var resolvers = WeakTable<Key, Resolver>()
        weak var files: ConfigurationFiles?
        var kept: [Key: Resolver] = [:]
    }

    private let state = Mutex(State())

    package func resolver(_ key: Key, make: () -> Resolver) -> Resolver {
        if let known = state.withLock({ $0.resolvers[key] }) { return known }
        let made = make()
        return state.withLock { state in
            if let known = state.resolvers[key] { return known }
            state.resolvers.insert(made, for: key)
            return made
        }
    }

    /// The configuration files as the resolvers that are there have them, or anew.
    fileprivate func files(_ environment: ResolverEnvironment) -> ConfigurationFiles {
        if let known = state.withLock({ $0.files }) { return known }
        let made = ConfigurationFiles(environment)
        return state.withLock { state in
            if let known = state.files { return known }
            state.files = made
            return made
        }
    }

    /// Keeps a resolver as long as this pool. In the child of a fork no reference holds it.
    func keep(_ resolver: Resolver, for key: Key) {
        state.withLock { $0.kept[key] = resolver }
    }

    /// Lets go of a loop that is about to end.
    func forget(_ loop: EventLoop) {
        for resolver in state.withLock({ $0.resolvers.values }) { resolver.forget(loop) }
    }
}

extension NamespaceContext {
    /// The resolver for names that are looked at in this way.
    func resolver(_ key: ResolverPool.Key) -> Resolver {
        resolvers.resolver(key) {
            var environment = ResolverEnvironment()
            environment.servers = key.servers
            environment.device = key.device
            environment.source = key.source
            environment.mark = key.keys.mark
            environment.namespace = handle
            let ways = ServerWays(keys: key.keys)
            return Resolver(environment, files: resolvers.files(environment)) { [weak self] servers in
                self?.canReachAny(of: servers, by: ways) ?? true
            }
        }
    }

    /// Whether a question to one of the servers could leave at all. A kernel that cannot be asked is no reason not to
    /// try.
    private func canReachAny(of servers: [IPAddress], by ways: ServerWays) -> Bool {
        guard let routeSource = try? source() else { return true }
        guard case .netlink(let kernel) = routeSource else {
            return servers.contains { server in
                (try? udpFinding(on: Target(server), keys: ways.keys)).map { $0.verdict.flags.rank == .reachable }
                    ?? true
            }
        }
        return servers.contains { ways.leadTo($0, kernel) ?? true }
    }
}

/// The ways to a resolver's name servers: each question about a name begins with them, so that what is found is kept as
/// that of any reference is.
private final class ServerWays: Sendable {
    let keys: RoutingKeys
    private let ways = Mutex<[IPAddress: Way]>([:])

    private final class Way: Sendable {
        let cache = VerdictCache()
    }

    init(keys: RoutingKeys) {
        self.keys = keys
    }

    /// Whether a question to the server could leave; nil where that cannot be found out.
    func leadTo(_ server: IPAddress, _ kernel: KernelAccess) -> Bool? {
        let way = ways.withLock { ways in
            if let known = ways[server] { return known }
            let way = Way()
            ways[server] = way
            return way
        }
        if let flags = kernel.provenFlags(in: way.cache) { return flags.rank == .reachable }
        let verdict = try? kernel.verdict(on: Target(server), keys: keys, keptIn: way.cache)
        return verdict.map { $0.flags.rank == .reachable }
    }
}
