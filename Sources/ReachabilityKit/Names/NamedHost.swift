// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import NetworkFacts
import Synchronization

/// A host name as a target: the name, how it is resolved, and what it was last resolved to.
package final class NamedHost: Sendable {
    package let name: HostName
    package let resolver: Resolver
    /// By what the resolver was found, and is found again in the child of a fork.
    let resolverKey: ResolverPool.Key
    /// How long a question may take, retries and all.
    package let patience: Duration
    package let policy: ReachabilityOptions.ResolutionPolicy
    /// The address everything is sent from, where one was given.
    package let source: IPAddress?

    /// What a verdict in a reference's cache was made from: the addresses, and a number that says which.
    struct Answer: Sendable {
        let resolution: Resolution
        let serial: UInt64
    }

    private struct State {
        var answer: Answer?
        var serial: UInt64 = 0
    }

    private let state = Mutex(State())

    package init(
        name: HostName, resolver: Resolver, key: ResolverPool.Key, patience: Duration,
        policy: ReachabilityOptions.ResolutionPolicy,
        source: IPAddress?
    ) {
        self.name = name
        self.resolver = resolver
        resolverKey = key
        self.patience = patience
        self.policy = policy
        self.source = source
    }

    /// The last answer. In the child of a fork another thread's copy may hold the lock for ever, and then there is
    /// none.
    var answer: Answer? { state.withLockIfAvailable(\.answer) ?? nil }

    /// Keeps an answer, and numbers it: verdicts made from an earlier one are no longer served.
    func keep(_ resolution: Resolution) -> Answer {
        let kept = state.withLockIfAvailable { state -> Answer in
            if let answer = state.answer, answer.resolution === resolution { return answer }
            state.serial += 1
            let answer = Answer(resolution: resolution, serial: state.serial)
            state.answer = answer
            return answer
        }
        return kept ?? Answer(resolution: resolution, serial: 0)
    }

    /// The targets that an address of this name stands for.
    package func target(for address: IPAddress) -> Target {
        source.map { .pair(local: $0, remote: address) } ?? .address(address)
    }

    /// Whether two hosts are watched by the same lookups.
    struct Key: Hashable {
        let name: HostName
        let resolver: ObjectIdentifier
        let source: IPAddress?
        let keys: RoutingKeys
    }

    func key(_ keys: RoutingKeys) -> Key {
        Key(name: name, resolver: ObjectIdentifier(resolver), source: source, keys: keys)
    }
}

extension NamedHost: Hashable {
    package static func == (left: NamedHost, right: NamedHost) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
