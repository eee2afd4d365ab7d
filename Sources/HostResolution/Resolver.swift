// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts
import Synchronization

/// Finds the addresses of names: from the hosts file, for `localhost`, from what was learned before, or by DNS.
///
/// Without an event loop, the calling thread drives the lookup. Equal names that are looked up at the same time share
/// one lookup. When no lookup is under way, no thread and no timer is left.
package final class Resolver: Sendable {
    /// How long a lookup waits for the other family before it considers the addresses of one family enough.
    package static let secondFamilyTimeout = Duration.milliseconds(50)
    /// How many channels are kept for later lookups. Few programs resolve names on more threads at once.
    private static let idleChannelLimit = 4

    package let environment: ResolverEnvironment
    let files: ConfigurationFiles
    private let mayAsk: @Sendable ([IPAddress]) -> Bool
    private let state: Mutex<State>

    private struct State {
        var configuration: ResolverConfiguration
        var cache = AnswerCache()
        var sharedLookups: [HostName: (lookup: SharedLookup, callers: Int)] = [:]
        var idleChannels: [AresChannel] = []
        var asyncLookups: [ObjectIdentifier: AsyncLookups] = [:]
    }

    /// - Parameters:
    ///   - shared: the configuration files, if other resolvers use them too.
    ///   - mayAsk: whether any of the servers can be reached. Called before a question is sent.
    package init(
        _ environment: ResolverEnvironment = ResolverEnvironment(), files shared: ConfigurationFiles? = nil,
        mayAsk: @escaping @Sendable (_ servers: [IPAddress]) -> Bool = { _ in true }
    ) {
        self.environment = environment
        self.mayAsk = mayAsk
        files = shared ?? ConfigurationFiles(environment)
        state = Mutex(State(configuration: ResolverConfiguration(files.current, environment)))
    }

    deinit {
        // No lookup is under way on any loop, as it would keep this object alive.
        for lookups in state.withLock({ Array($0.asyncLookups.values) }) { lookups.close() }
    }

    // MARK: Answers without a lookup

    /// What the configuration files say now.
    package var configuration: ResolverConfiguration {
        let known = state.withLock { $0.configuration }
        return known.isCurrent ? known : reload(replacing: known)
    }

    /// The servers that would be asked now. Empty if they are not known.
    package var configuredServers: [ServerAddress] { configuration.servers }

    /// What resolv.conf says now. Fails if it could never be opened for lack of descriptors or memory.
    package func knownResolvConf() throws(Errno) -> ResolvConf {
        let configuration = configuration
        if let error = configuration.contents.resolvConf.failure { throw error }
        return configuration.resolvConf
    }

    /// Reads the files again, and forgets all answers that depend on what they said before.
    func reload(replacing old: ResolverConfiguration) -> ResolverConfiguration {
        let fresh = ResolverConfiguration(files.current, environment)
        let (result, outdated) = state.withLock { state -> (ResolverConfiguration, [AresChannel]) in
            // Two threads may have noticed. The later reading has the more recent contents.
            guard fresh.generation > state.configuration.generation else { return (state.configuration, []) }
            defer { state.idleChannels = [] }
            state.configuration = fresh
            state.cache.removeAll()
            return (fresh, state.idleChannels)
        }
        // The channels are released outside the lock.
        return withExtendedLifetime(outdated) { result }
    }

    /// The answer for which no server has to be asked: from the cache, the hosts file, or for `localhost`. It may be
    /// incomplete (see `Resolution.isComplete`).
    package func known(_ name: HostName) -> Resolution? {
        let (configuration, cached) = state.withLock { ($0.configuration, $0.cache[name]) }
        guard configuration.isCurrent else { return local(name, reload(replacing: configuration)) }
        if let cached, cached.expires == .distantFuture || environment.time.now() < cached.expires { return cached }
        return local(name, configuration)
    }

    private func local(_ name: HostName, _ configuration: ResolverConfiguration) -> Resolution? {
        guard let answer = configuration.localAnswer(name) else { return nil }
        store(answer)
        return answer
    }

    package var cachedCount: Int { state.withLock { $0.cache.count } }

    /// The threads that share the lookup of a name now.
    package func callerCount(_ name: HostName) -> Int { state.withLock { $0.sharedLookups[name]?.callers ?? 0 } }

    /// Stores an answer until it expires, unless the files have changed since the question was asked.
    func store(_ resolution: Resolution) {
        let now = environment.time.now()
        state.withLock { state in
            guard resolution.configuration === state.configuration else { return }
            state.cache.store(resolution, at: now)
        }
    }

    /// The answer if no server can be asked. Nil if one can.
    func refusal(_ name: HostName, _ configuration: ResolverConfiguration) -> Resolution? {
        let outcome: ResolutionOutcome
        if let error = configuration.failure {
            outcome = .couldNotAsk(error)
        } else if configuration.servers.isEmpty {
            outcome = .noServerConfigured
        } else if !mayAsk(configuration.servers.map(\.address)) {
            outcome = .noServerReachable
        } else {
            return nil
        }
        return Resolution(
            name, v4: .notAsked, v6: .notAsked, origin: .none, outcome: outcome, made: environment.time.now(),
            configuration: configuration)
    }

    // MARK: Lookups that threads share

    /// The outcome of `join`.
    enum Joining {
        /// Another lookup has just ended.
        case known(Resolution)
        /// The first caller has to send the questions.
        case lookup(SharedLookup, isFirst: Bool)
    }

    /// Joins the lookup of a name, or creates it.
    ///
    /// A lookup stores its answer before it ends, so the cache is read here once more: a caller that found neither a
    /// lookup nor an answer may have looked for the answer before it was there, and for the lookup after it had ended.
    func join(_ name: HostName, _ configuration: ResolverConfiguration) -> Joining {
        let now = environment.time.now()
        return state.withLock { state in
            if let entry = state.sharedLookups[name], entry.lookup.configuration === configuration,
                entry.lookup.forkEpoch == ForkEpoch.current
            {
                state.sharedLookups[name]?.callers += 1
                return .lookup(entry.lookup, isFirst: false)
            }
            if let known = state.cache[name], known.configuration === configuration, known.isComplete,
                now < known.expires
            {
                return .known(known)
            }
            let lookup = SharedLookup(name, configuration)
            state.sharedLookups[name] = (lookup, 1)
            return .lookup(lookup, isFirst: true)
        }
    }

    /// Ends one caller's part. Returns true for the last caller; no other can join after it.
    func leave(_ lookup: SharedLookup) -> Bool {
        state.withLock { state in
            guard let entry = state.sharedLookups[lookup.name], entry.lookup === lookup else { return false }
            if entry.callers > 1 {
                state.sharedLookups[lookup.name]?.callers -= 1
                return false
            }
            state.sharedLookups[lookup.name] = nil
            return true
        }
    }

    /// Removes a lookup that is over, so that no other caller joins it.
    func remove(_ lookup: SharedLookup) {
        state.withLock { state in
            if state.sharedLookups[lookup.name]?.lookup === lookup { state.sharedLookups[lookup.name] = nil }
        }
    }

    /// An unused channel for the configuration.
    func takeChannel(_ configuration: ResolverConfiguration) throws(Errno) -> AresChannel {
        let idle = state.withLock { state -> AresChannel? in
            guard let last = state.idleChannels.popLast(), last.configuration === configuration,
                last.forkEpoch == ForkEpoch.current
            else { return nil }
            return last
        }
        if let idle { return idle }
        return try AresChannel(configuration)
    }

    /// Keeps a channel for the next lookup. One with open questions is destroyed, as no caller waits for the answers.
    func giveBack(_ channel: AresChannel) {
        guard channel.pendingCount == 0 else { return }
        state.withLock { state in
            guard state.idleChannels.count < Self.idleChannelLimit, channel.configuration === state.configuration
            else { return }
            state.idleChannels.append(channel)
        }
    }

    // MARK: Event loops

    /// This resolver's lookups on a loop.
    func lookups(on loop: EventLoop) -> AsyncLookups {
        state.withLock { state in
            if let known = state.asyncLookups[ObjectIdentifier(loop)] { return known }
            let lookups = AsyncLookups(loop, self)
            state.asyncLookups[ObjectIdentifier(loop)] = lookups
            return lookups
        }
    }

    func removeLookups(on loop: EventLoop) -> AsyncLookups? {
        state.withLock { $0.asyncLookups.removeValue(forKey: ObjectIdentifier(loop)) }
    }

    func emptyCache() {
        state.withLock { $0.cache.removeAll() }
    }

    /// The lookups on another thread's loop that contain this name, so that the caller can wait for them.
    func lookups(resolving name: HostName) -> AsyncLookups? {
        state.withLock { Array($0.asyncLookups.values) }.first { !$0.isCurrent && $0.isResolving(name) }
    }
}
