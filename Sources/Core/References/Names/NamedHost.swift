// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
import ReachabilityNetlink
package import ReachabilityResolverFiles

/// A host name as a target: the name, how it is resolved, and its last resolution.
package final class NamedHost: Sendable {
    package let name: HostName
    package let resolver: Resolver
    private let resolverKey: ResolverPool.Key
    /// How long a lookup may take, including retries.
    package let timeout: Duration
    package let policy: ReachabilityOptions.ResolutionPolicy
    /// The source address, if one was given.
    package let source: IPAddress?

    /// The family whose addresses count; nil for both.
    private let family: AddressFamily?

    /// A resolution from which a kept answer was made, and its number.
    struct Answer: Sendable {
        let resolution: Resolution
        let serial: UInt64
    }

    private struct State {
        var answer: Answer?
        var serial: UInt64 = 0
    }

    private let state = Lock(State())

    package init(
        name: HostName, resolver: Resolver, key: ResolverPool.Key, timeout: Duration,
        policy: ReachabilityOptions.ResolutionPolicy, source: IPAddress?, family: AddressFamily? = nil
    ) {
        self.name = name
        self.resolver = resolver
        resolverKey = key
        self.timeout = timeout
        self.policy = policy
        self.source = source
        self.family = family
    }

    /// The same host with a resolver of another namespace context.
    func replaced(in namespace: NamespaceContext) -> NamedHost {
        NamedHost(
            name: name, resolver: namespace.resolver(resolverKey), key: resolverKey, timeout: timeout, policy: policy,
            source: source, family: family)
    }

    /// The query for the resolver.
    package var query: NameQuery { NameQuery(name, family) }

    /// The addresses of the family that is used.
    package func counted(_ addresses: [IPAddress]) -> [IPAddress] {
        family.map { family in addresses.filter { $0.unmapped.family == family } } ?? addresses
    }

    /// The last answer.
    var answer: Answer? { state.withLock(\.answer) }

    /// Keeps an answer under a new number, which makes earlier kept answers invalid.
    func keep(_ resolution: Resolution) -> Answer {
        state.withLock { state in
            if let answer = state.answer, answer.resolution === resolution { return answer }
            state.serial += 1
            let answer = Answer(resolution: resolution, serial: state.serial)
            state.answer = answer
            return answer
        }
    }

    /// The target for one of this name's addresses.
    package func target(for address: IPAddress) -> Target {
        source.map { .pair(local: $0, remote: address) } ?? .address(address)
    }

    /// Hosts with equal keys share their lookups while they are watched.
    struct Key: Hashable {
        let name: HostName
        let resolver: ObjectIdentifier
        let source: IPAddress?
        let family: AddressFamily?
        let keys: RoutingKeys
    }

    func key(_ keys: RoutingKeys) -> Key {
        Key(name: name, resolver: ObjectIdentifier(resolver), source: source, family: family, keys: keys)
    }
}

extension NamedHost: Hashable {
    package static func == (left: NamedHost, right: NamedHost) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
