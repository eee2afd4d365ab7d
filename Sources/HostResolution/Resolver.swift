// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts
import Synchronization

/// Finds the addresses of names: from the hosts file, for `localhost`, from what was learned before, or by DNS.
///
/// A call without an event loop is driven by the calling thread; equal names that are being looked up at the same time
/// share one lookup. Nothing here runs by itself: with names known and nobody waiting, no thread and no timer is left.
package final class Resolver: Sendable {
    /// How long the other family is waited for once the addresses known are enough.
    package static let secondFamilyPatience = Duration.milliseconds(50)
    /// Channels kept for the next lookups; more than threads that usually resolve at the same time is waste.
    private static let idleChannelLimit = 4

    package let environment: ResolverEnvironment
    let files: ConfigurationFiles
    private let mayAsk: @Sendable ([IPAddress]) -> Bool
    private let state: Mutex<State>

    private struct State {
        var configuration: ResolverConfiguration
        var cache = AnswerCache()
        var flights: [HostName: (flight: SharedLookup, participants: Int)] = [:]
        var idle: [AresChannel] = []
        var loops: [ObjectIdentifier: AsyncLookups] = [:]
    }

    /// - Parameters:
    ///   - files: the configuration files, where others share them.
    ///   - mayAsk: whether any of the servers can be reached at all; asked before a question is sent.
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
        // A loop's part holds on to nothing of this object, and has no lookups left: they would hold this one.
        for part in state.withLock({ Array($0.loops.values) }) { part.close() }
    }

    // MARK: What is known already

    /// What the configuration files say now.
    package var configuration: ResolverConfiguration {
        let known = state.withLock { $0.configuration }
        return known.isCurrent ? known : reload(replacing: known)
    }

    /// The servers that would be asked now; none where they are not known.
    package var configuredServers: [ServerAddress] { configuration.servers }

    /// The servers that would be asked now. Fails where the file that names them could never be opened for want of
    /// descriptors or memory.
    package func knownServers() throws(Errno) -> [ServerAddress] {
        let configuration = configuration
        if let error = configuration.serverFailure { throw error }
        return configuration.servers
    }

    /// Goes by what the files say now, and forgets all that rests on what they said before.
    func reload(replacing old: ResolverConfiguration) -> ResolverConfiguration {
        let fresh = ResolverConfiguration(files.current, environment)
        let (result, outdated) = state.withLock { state -> (ResolverConfiguration, [AresChannel]) in
            // Of two threads that noticed, the one that read later has the more recent contents.
            guard fresh.generation > state.configuration.generation else { return (state.configuration, []) }
            defer { state.idle = [] }
            state.configuration = fresh
            state.cache.removeAll()
            return (fresh, state.idle)
        }
        _ = outdated
        return result
    }

    /// The answer that needs nobody to be asked: from the cache, the hosts file, or for `localhost`. It may be
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

    /// How many answers are kept.
    package var cachedCount: Int { state.withLock { $0.cache.count } }

    /// Keeps an answer for as long as it may be kept, unless the files have changed since it was asked for.
    func store(_ resolution: Resolution) {
        let now = environment.time.now()
        state.withLock { state in
            guard resolution.configuration === state.configuration else { return }
            state.cache.store(resolution, at: now)
        }
    }

    /// The answer where nobody is to be asked; nil where asking makes sense.
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

    /// The lookup of a name to take part in, and whether it is the caller who has to begin it.
    func board(_ name: HostName, _ configuration: ResolverConfiguration) -> (flight: SharedLookup, begins: Bool) {
        state.withLock { state in
            if let entry = state.flights[name], entry.flight.configuration === configuration,
                entry.flight.forkEpoch == ForkEpoch.current
            {
                state.flights[name]?.participants += 1
                return (entry.flight, false)
            }
            let flight = SharedLookup(name, configuration)
            state.flights[name] = (flight, 1)
            return (flight, true)
        }
    }

    /// Ends the caller's part; true for the last one, after whom nobody can join any more.
    func leave(_ flight: SharedLookup) -> Bool {
        state.withLock { state in
            guard let entry = state.flights[flight.name], entry.flight === flight else { return false }
            if entry.participants > 1 {
                state.flights[flight.name]?.participants -= 1
                return false
            }
            state.flights[flight.name] = nil
            return true
        }
    }

    /// Has nobody join this lookup any more: it is over.
    func remove(_ flight: SharedLookup) {
        state.withLock { state in
            if state.flights[flight.name]?.flight === flight { state.flights[flight.name] = nil }
        }
    }

    /// A channel that nobody uses, for the configuration.
    func takeChannel(_ configuration: ResolverConfiguration) throws(Errno) -> AresChannel {
        let idle = state.withLock { state -> AresChannel? in
            guard let last = state.idle.popLast(), last.configuration === configuration,
                last.forkEpoch == ForkEpoch.current
            else { return nil }
            return last
        }
        if let idle { return idle }
        return try AresChannel(configuration)
    }

    /// Keeps a channel for the next lookup. One with open questions is destroyed instead: nobody waits for them.
    func giveBack(_ channel: AresChannel) {
        guard channel.pendingCount == 0 else { return }
        state.withLock { state in
            guard state.idle.count < Self.idleChannelLimit, channel.configuration === state.configuration else {
                return
            }
            state.idle.append(channel)
        }
    }

    // MARK: Event loops

    /// The part of this resolver that lives on a loop.
    func part(on loop: EventLoop) -> AsyncLookups {
        state.withLock { state in
            if let part = state.loops[ObjectIdentifier(loop)] { return part }
            let part = AsyncLookups(loop, self)
            state.loops[ObjectIdentifier(loop)] = part
            return part
        }
    }

    func removePart(on loop: EventLoop) -> AsyncLookups? {
        state.withLock { $0.loops.removeValue(forKey: ObjectIdentifier(loop)) }
    }

    func emptyCache() {
        state.withLock { $0.cache.removeAll() }
    }

    /// A loop on which the name is being looked up, for a thread that could wait for it.
    func loopResolving(_ name: HostName) -> AsyncLookups? {
        let parts = state.withLock { Array($0.loops.values) }
        return parts.first { !$0.isCurrent && $0.isResolving(name) }
    }
}
