// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityResolverFiles

/// Finds the addresses of names: from the hosts file, for `localhost`, from what was learned before, or by DNS.
///
/// Lookups run on an event loop that the caller names, or on the calling thread, which then runs a loop of the resolver's
/// own. Equal names that are looked up at the same time on one loop share a lookup. When no lookup is under way, no
/// thread, no timer and no socket is left.
package final class Resolver: Sendable {
    /// How long a lookup waits for the other family before it considers the addresses of one family enough.
    package static let secondFamilyTimeout = Duration.milliseconds(50)

    package let environment: ResolverEnvironment
    let shared: ResolverShare
    private let mayAsk: @Sendable ([IPAddress]) -> Bool
    private let state: Lock<State>

    private struct State {
        var configuration: ResolverConfiguration
        var cache = AnswerCache()
        var drivers: [ObjectIdentifier: NameDriver] = [:]
    }

    /// - Parameters:
    ///   - shared: what other resolvers use too, if there are any.
    ///   - mayAsk: whether any of the servers can be reached. Called before a question is sent.
    package init(
        _ environment: ResolverEnvironment = ResolverEnvironment(), sharing shared: ResolverShare? = nil,
        mayAsk: @escaping @Sendable (_ servers: [IPAddress]) -> Bool = { _ in true }
    ) {
        self.environment = environment
        self.mayAsk = mayAsk
        let shared = shared ?? ResolverShare(ConfigurationFiles(environment))
        self.shared = shared
        state = Lock(State(configuration: ResolverConfiguration(shared.files, environment)))
    }

    deinit {
        // No lookup is under way on any loop, as it would keep this object alive.
        for driver in state.withLock({ Array($0.drivers.values) }) { driver.close() }
        shared.presentCallerLoop?.finishEnqueuedWork()
    }

    // MARK: Answers without a lookup

    /// What the configuration files say now.
    package var configuration: ResolverConfiguration {
        let known = state.withLock { $0.configuration }
        return known.isCurrent ? known : reload()
    }

    /// The servers that would be asked now. Empty if they are not known.
    package var configuredServers: [ServerAddress] { configuration.servers }

    /// Reads the files again, and forgets all answers that depend on what they said before.
    private func reload() -> ResolverConfiguration {
        let fresh = ResolverConfiguration(shared.files, environment)
        return state.withLock { state in
            // Two threads may have noticed. The later reading has the more recent contents.
            guard fresh.generation > state.configuration.generation else { return state.configuration }
            state.configuration = fresh
            state.cache.removeAll()
            return fresh
        }
    }

    /// The answer for which nobody has to be asked: from the cache, the hosts file, or for `localhost`. It may be
    /// incomplete (see `Resolution.isComplete`).
    package func known(_ query: NameQuery) -> Resolution? { known(query, configuration) }

    private func known(_ query: NameQuery, _ configuration: ResolverConfiguration) -> Resolution? {
        cached(query, configuration) ?? localAnswer(query, configuration, configuration.walk(for: query))
    }

    /// What was learned under a configuration, if that is not of an earlier reading. Does not look at the files. The addresses of
    /// this machine itself are compared with the present ones, because no announcement of their changes reaches this module.
    func cached(_ query: NameQuery, _ configuration: ResolverConfiguration) -> Resolution? {
        let cached = state.withLock { $0.configuration === configuration ? $0.cache[query] : nil }
        guard let cached, cached.expires == .distantFuture || environment.time.now() < cached.expires,
            cached.origin != .ownHostName || configuration.confirms(cached)
        else { return nil }
        return cached
    }

    private func localAnswer(
        _ query: NameQuery, _ configuration: ResolverConfiguration, _ walk: SourceWalk
    ) -> Resolution? {
        guard let answer = configuration.localAnswer(query, walk) else { return nil }
        store(answer)
        return answer
    }

    /// An answer, or how to get one.
    package enum Beginning: Sendable {
        case answer(Resolution)
        case ask(Plan)
    }

    /// The answer for which nobody has to be asked, if it is enough or there is nobody to ask; else the way to ask.
    package func begin(_ query: NameQuery, isEnough: (Resolution) -> Bool) -> Beginning {
        let configuration = configuration
        if let cached = cached(query, configuration), isEnough(cached) { return .answer(cached) }
        let walk = configuration.walk(for: query)
        if let answer = localAnswer(query, configuration, walk), isEnough(answer) { return .answer(answer) }
        let plan = plan(query, configuration, walk)
        return answer(query, plan).map(Beginning.answer) ?? .ask(plan)
    }

    /// Whether an answer of this resolver is still valid: it has not expired, and no configuration file has changed since. Costs one
    /// system call.
    package func isFresh(_ answer: Resolution, at now: @autoclosure () -> BootTime) -> Bool {
        if answer.expires != .distantFuture, now() >= answer.expires { return false }
        let configuration = state.withLock { $0.configuration }
        return answer.generation == configuration.generation && configuration.isCurrent
    }

    /// The threads that wait for their lookups now.
    package var callerCount: Int { shared.presentCallerLoop.map { waiterCount(on: $0.loop) } ?? 0 }

    /// How many wait for lookups on a loop.
    package func waiterCount(on loop: EventLoop) -> Int { driver(on: loop).waiterCount }

    /// Stores an answer until it expires, unless the files have changed since the question was asked.
    func store(_ resolution: Resolution) {
        let now = environment.time.now()
        state.withLock { state in
            if resolution.generation == state.configuration.generation { state.cache.store(resolution, at: now) }
        }
    }

    /// How a name is looked up, and under which configuration.
    package struct Plan: Sendable {
        let lookup: NameMachine.Plan
        let configuration: ResolverConfiguration
    }

    func plan(_ query: NameQuery, _ configuration: ResolverConfiguration, _ walk: SourceWalk? = nil) -> Plan {
        let resolvConf = configuration.resolvConf
        let families = AddressFamily.allCases.filter { query.wants($0) && ($0 == .v4 || !resolvConf.skipsIPv6) }
        var walk = walk ?? configuration.walk(for: query)
        walk.replaceDNS { families.isEmpty ? Finding([], for: query, .dns) : refusal(configuration) }
        let candidates = resolvConf.candidates(for: query.name)
        return Plan(
            lookup: NameMachine.Plan(walk: walk, candidates: candidates, families: families),
            configuration: configuration)
    }

    /// Why no server can be asked. Nil if one can.
    private func refusal(_ configuration: ResolverConfiguration) -> Finding? {
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
        return Finding(.notAsked, .none, outcome: outcome)
    }

    /// The answer if there is nobody to ask.
    func answer(_ query: NameQuery, _ plan: Plan) -> Resolution? {
        guard plan.lookup.walk.next == nil else { return nil }
        return Resolution(
            query, plan.lookup.walk.finding(), made: environment.time.now(), configuration: plan.configuration)
    }

    // MARK: On the calling thread

    /// Finds the addresses of a name, on the calling thread, until `deadline` at the latest.
    ///
    /// At the deadline the answer is what is known by then. If only one family has addresses, and the other has not
    /// answered within `secondFamilyTimeout`, `enough` decides whether to return without it. So if both families answer
    /// in time, the caller asks the kernel about the addresses only once. `enough` is called with no lock held, possibly
    /// on another thread that waits for a lookup.
    package func resolve(
        _ query: NameQuery, deadline: BootTime, enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        let plan: Plan
        switch begin(query, isEnough: { $0.isUsable(at: environment.time.now(), enough) }) {
        case .answer(let known): return known
        case .ask(let made): plan = made
        }
        do throws(Errno) {
            let callers = try shared.callerLoop()
            return callers.resolve(query, self, driver(on: callers.loop), plan, deadline: deadline, enough: enough)
        } catch {
            return Resolution(
                query, couldNotAsk: error, made: environment.time.now(), configuration: plan.configuration)
        }
    }

    // MARK: On an event loop

    /// Finds the addresses of a name without blocking the calling thread.
    ///
    /// `completion` is called exactly once, on the loop's thread and never inside this call. It is not called if the
    /// loop is stopped before. Deadline and `enough` mean the same as in the blocking form.
    ///
    /// - Parameters:
    ///   - plan: made just now, when no answer was known.
    ///   - progress: called on the loop's thread with the addresses of one family, before those of the other are known.
    /// - Returns: ends this wait and no other. `completion` is then called with `.cancelled`. Nil if the loop has ended;
    ///   `completion` is not called then.
    package func resolve(
        _ query: NameQuery, on loop: EventLoop, _ plan: Plan? = nil, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool,
        progress: @escaping @Sendable ([IPAddress]) -> Void = { _ in },
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> CancellationToken? {
        let token = driver(on: loop).start(
            query, self, plan, deadline: deadline,
            NameDriver.Waiter(enough: enough, progress: progress, completion: completion))
        if token == nil { forget(loop) }
        return token
    }

    /// Reports changed configuration files on a loop. Lookups that run there start again by themselves.
    package func notifier(on loop: EventLoop) -> ConfigurationNotifier { shared.files.notifier(on: loop) }

    /// Whether a timer or a socket of lookups could still wake the loop. To be called on its thread.
    package func hasWork(on loop: EventLoop) -> Bool {
        driver(on: loop).hasWork
    }

    /// To be called after a change of the network. Forgets what servers have answered, and asks the open questions on
    /// the loop once more: an answer to the old source address would never arrive.
    package func startOver(on loop: EventLoop) {
        state.withLock { $0.cache.removeAll() }
        driver(on: loop).startOver(self)
    }

    /// Releases a loop that has ended.
    func forget(_ loop: EventLoop) { state.remove { $0.drivers.removeValue(forKey: ObjectIdentifier(loop)) } }

    /// What makes this resolver's lookups on a loop.
    private func driver(on loop: EventLoop) -> NameDriver {
        state.withLock { state in
            if let known = state.drivers[ObjectIdentifier(loop)] { return known }
            let driver = NameDriver(loop, self)
            state.drivers[ObjectIdentifier(loop)] = driver
            return driver
        }
    }
}
