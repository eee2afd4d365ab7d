// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem
import Netlink
package import NetworkFacts
import Synchronization

/// The resolvers of one namespace: references that would ask the same servers in the same way share one.
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

    private let resolvers = Mutex<[Key: Resolver]>([:])

    package func resolver(_ key: Key, make: () -> Resolver) -> Resolver {
        resolvers.withLock { resolvers in
            if let known = resolvers[key] { return known }
            let made = make()
            resolvers[key] = made
            return made
        }
    }

    /// Lets go of a loop that is about to end.
    func forget(_ loop: EventLoop) {
        for resolver in resolvers.withLock({ Array($0.values) }) { resolver.forget(loop) }
    }
}

extension NetworkStack {
    /// The resolver for names that are looked at in this way.
    func resolver(_ key: ResolverPool.Key) -> Resolver {
        resolvers.resolver(key) {
            var environment = ResolverEnvironment()
            environment.servers = key.servers
            environment.device = key.device
            environment.source = key.source
            environment.mark = key.keys.mark
            environment.namespace = handle
            let keys = key.keys
            return Resolver(environment) { [weak self] servers in
                self?.canReachAny(of: servers, keys: keys) ?? true
            }
        }
    }

    /// Whether a question to one of the servers could leave at all. A kernel that cannot be asked is no reason not to
    /// try.
    private func canReachAny(of servers: [IPAddress], keys: RoutingKeys) -> Bool {
        guard let authority = try? authority() else { return true }
        guard case .netlink(let kernel) = authority else {
            return servers.contains { server in
                (try? udpFinding(on: Target(server), keys: keys)).map { $0.verdict.flags.rank == .reachable } ?? true
            }
        }
        return servers.contains { server in
            let timed = try? kernel.verdict(on: Target(server), keys: keys, links: kernel.sentinel.settle()?.links)
            return timed.map { $0.verdict.flags.rank == .reachable } ?? true
        }
    }
}
