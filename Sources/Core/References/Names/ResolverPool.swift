// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityResolverFiles

/// The resolvers of one namespace. References that ask the same servers in the same way share a resolver, which is released
/// together with the last of them. All resolvers share the configuration files.
package final class ResolverPool: Sendable {
    package struct Key: Hashable, Sendable {
        var servers: [ServerAddress]?
        var source: IPAddress?
        var keys: RoutingKeys

        package init(servers: [ServerAddress]?, source: IPAddress?, keys: RoutingKeys) {
            (self.servers, self.source, self.keys) = (servers, source, keys.toNameServers)
        }
    }

    private struct State {
        var resolvers = WeakTable<Key, Resolver>()
        weak var shared: ResolverShare?
    }

    private let state = Lock(State())

    /// The resolver for a key, if a reference or a watcher keeps it alive.
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

    /// The state that the existing resolvers share.
    fileprivate func shared(_ files: () -> ConfigurationFiles) -> ResolverShare {
        if let known = state.withLock({ $0.shared }) { return known }
        let made = ResolverShare(files())
        return state.withLock { state in
            if let known = state.shared { return known }
            state.shared = made
            return made
        }
    }
}

extension NamespaceContext {
    package var resolvers: ResolverPool { addition(ResolverPool.init) }

    /// The resolver for a key. Makes it if there is none.
    func resolver(_ key: ResolverPool.Key) -> Resolver {
        resolvers.resolver(key) {
            var environment = resolverEnvironment
            environment.ownAddresses = { [weak self] in self?.ownAddresses ?? [] }
            environment.servers = key.servers
            if case .name(let name)? = key.keys.interface { environment.device = name }
            environment.source = key.source
            environment.mark = key.keys.mark
            let routes = ServerRoutes(keys: key.keys)
            return Resolver(environment, sharing: resolvers.shared { configurationFiles }) { [weak self] servers in
                self?.canReachAny(of: servers, routes) ?? true
            }
        }
    }

    /// The addresses by which others reach this machine, as nss-myhostname(8) gives them for its name.
    var ownAddresses: [IPAddress] {
        let inventory = try? kernel().withRouteClient { (socket) throws(NetlinkError) in try socket.inventory() }
        let all = inventory?.addresses.map(\.address) ?? []
        return all.filter { $0.isUsable && !$0.address.unmapped.isLoopback }.map { own in
            guard case .v6(let address, _) = own.address, address.isLinkLocal else { return own.address }
            let name = inventory?.name(of: own.interface).flatMap { InterfaceName($0) }
            return .v6(address, scope: name.map(Scope.name) ?? .index(own.interface))
        }
    }

    /// Whether a query could be sent to one of the servers. True if the kernel cannot be asked.
    private func canReachAny(of servers: [IPAddress], _ routes: ServerRoutes) -> Bool {
        guard let kernel = try? kernel() else { return true }
        return servers.contains { routes.isReachable($0, kernel) ?? true }
    }
}

/// The routes to a resolver's name servers. Every lookup asks for them first, so the answers are kept, like those of a reference.
private final class ServerRoutes: Sendable {
    let keys: RoutingKeys
    private let routes = Lock<[IPAddress: Route]>([:])

    private final class Route: Sendable {
        let cell = AnswerCell()
    }

    init(keys: RoutingKeys) {
        self.keys = keys
    }

    /// Whether a query could be sent to the server. Nil if the kernel cannot be asked.
    func isReachable(_ server: IPAddress, _ kernel: KernelAccess) -> Bool? {
        let route = routes.withLock { routes in
            if let known = routes[server] { return known }
            let route = Route()
            routes[server] = route
            return route
        }
        if let flags = kernel.provedFlags(in: route.cell) { return flags.rank == .reachable }
        let verdict = try? kernel.verdict(on: Target(server), keys: keys, keptIn: route.cell)
        return verdict.map { $0.flags.rank == .reachable }
    }
}
