// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import LinuxSystem
import Netlink

/// The resolvers of one namespace. References that ask the same servers in the same way share a resolver, which is
/// released with the last of them. All resolvers share the configuration files.
package final class ResolverPool: Sendable {
    package struct Key: Hashable, Sendable {
        var servers: [ServerAddress]?
        var device: String?
        var source: IPAddress?
        var keys: RoutingKeys

        package init(servers: [ServerAddress]?, device: String?, source: IPAddress?, keys: RoutingKeys) {
            (self.servers, self.device, self.source, self.keys) = (servers, device, source, keys.toNameServers)
        }
    }

    private struct State {
        var resolvers = WeakTable<Key, Resolver>()
        weak var files: ConfigurationFiles?
    }

    private let state = Lock(State())

    /// The resolver for a key, if a reference or a watcher keeps it.
    func existing(_ key: Key) -> Resolver? { state.withLock { $0.resolvers[key] } }

    package func resolver(_ key: Key, make: () -> Resolver) -> Resolver {
        if let known = existing(key) { return known }
        let made = make()
        return state.withLock { state in
            if let known = state.resolvers[key] { return known }
            state.resolvers.insert(made, for: key)
            return made
        }
    }

    /// The configuration files that the existing resolvers share. Reads them if there is no resolver.
    fileprivate func files(_ environment: ResolverEnvironment) -> ConfigurationFiles {
        if let known = state.withLock({ $0.files }) { return known }
        let made = ConfigurationFiles(environment)
        return state.withLock { state in
            if let known = state.files { return known }
            state.files = made
            return made
        }
    }

    /// Ends the lookups on a loop that has failed. To be called on its thread.
    func fail(_ loop: EventLoop, _ error: Errno) {
        for resolver in state.withLock({ $0.resolvers.values }) { resolver.fail(loop, error) }
    }

    /// Releases a loop that is about to end.
    func forget(_ loop: EventLoop) {
        for resolver in state.withLock({ $0.resolvers.values }) { resolver.forget(loop) }
    }
}

extension NamespaceContext {
    /// The resolver for a key. Makes it if there is none.
    func resolver(_ key: ResolverPool.Key) -> Resolver {
        resolvers.resolver(key) {
            var environment = resolverEnvironment
            environment.servers = key.servers
            environment.device = key.device
            environment.source = key.source
            environment.mark = key.keys.mark
            let routes = ServerRoutes(keys: key.keys)
            return Resolver(environment, files: resolvers.files(environment)) { [weak self] servers in
                self?.canReachAny(of: servers, routes) ?? true
            }
        }
    }

    var resolverEnvironment: ResolverEnvironment {
        var environment = resolverDefaults
        environment.namespace = handle
        environment.overlay = overlay
        environment.ownAddresses = { [weak self] in self?.ownAddresses ?? [] }
        return environment
    }

    /// The addresses by which others reach this machine, as nss-myhostname(8) gives them for its name.
    private var ownAddresses: [IPAddress] {
        let inventory = try? kernel().withLookupSocket { (socket) throws(NetlinkError) in try socket.inventory() }
        let all = inventory?.addresses.map(\.address) ?? []
        return all.filter { $0.isUsable && !$0.address.unmapped.isLoopback }.map(\.address)
    }

    /// Whether a question could be sent to one of the servers. True if the kernel cannot be asked.
    private func canReachAny(of servers: [IPAddress], _ routes: ServerRoutes) -> Bool {
        guard let kernel = try? kernel() else { return true }
        return servers.contains { routes.isReachable($0, kernel) ?? true }
    }
}

/// The routes to a resolver's name servers. Every lookup asks for them first, so the verdicts are kept, as a
/// reference's are.
private final class ServerRoutes: Sendable {
    let keys: RoutingKeys
    private let routes = Lock<[IPAddress: Route]>([:])

    private final class Route: Sendable {
        let cell = AnswerCell()
    }

    init(keys: RoutingKeys) {
        self.keys = keys
    }

    /// Whether a question could be sent to the server. Nil if the kernel cannot be asked.
    func isReachable(_ server: IPAddress, _ kernel: KernelAccess) -> Bool? {
        let route = routes.withLock { routes in
            if let known = routes[server] { return known }
            let route = Route()
            routes[server] = route
            return route
        }
        if let flags = kernel.provedFlags(in: route.cell) { return flags.rank == .reachable }
        let verdict = try? kernel.verdict(on: CollectionOfOne(Target(server)), keys: keys, keptIn: route.cell)
        return verdict.flatMap(\.self).map { $0.flags.rank == .reachable }
    }
}
