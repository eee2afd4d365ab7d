// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import Synchronization

/// The lookups of one resolver on one event loop. All of them go through one channel.
///
/// The members under "From any thread" may be called from any thread. Everything else runs on the loop's thread.
final class AsyncLookups: Sendable {
    private let loop: EventLoop
    private let notifier: ConfigurationNotifier
    /// In the child of a fork the loop has no thread.
    private let forkEpoch = ForkEpoch.current
    private let lastNumber = Atomic<UInt64>(0)
    /// The names that are being looked up. Other threads wait for these lookups instead of starting their own.
    private let busyNames = Mutex<Set<HostName>>([])
    private let confined: LoopConfined<State>

    private final class State {
        var lookups: [HostName: Lookup] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var observers: [UInt64: @Sendable (Bool) -> Void] = [:]
        let queue: QueryQueue
        init(_ queue: QueryQueue) { self.queue = queue }
    }

    private var state: State { confined.value }

    private final class Lookup {
        /// Keeps the resolver alive until the lookup is over.
        let resolver: Resolver
        var configuration: ResolverConfiguration
        var progress: LookupProgress
        var waiters: Set<UInt64> = []

        init(_ resolver: Resolver, _ configuration: ResolverConfiguration, _ name: HostName) {
            self.resolver = resolver
            self.configuration = configuration
            progress = LookupProgress(candidates: configuration.resolvConf.candidates(for: name))
        }
    }

    private struct Waiter {
        let name: HostName
        let enough: @Sendable ([IPAddress]) -> Bool
        let progress: @Sendable ([IPAddress]) -> Void
        let completion: @Sendable (Resolution) -> Void
        var deadlineTimer: LoopTimer?
        /// Runs while the addresses of one family are known, until `enough` is called.
        var checkTimer: LoopTimer?
    }

    init(_ loop: EventLoop, _ resolver: Resolver) {
        self.loop = loop
        notifier = resolver.files.notifier(on: loop)
        confined = LoopConfined(State(QueryQueue(loop)))
    }

    // MARK: From any thread

    var isCurrent: Bool { loop.isCurrent }

    /// Whether another thread may wait for the lookup of this name here. A loop without a thread may stand still for long.
    func isResolving(_ name: HostName) -> Bool {
        loop.hasThread && forkEpoch == ForkEpoch.current && busyNames.withLock { $0.contains(name) }
    }

    /// The token ends this wait and no other. `completion` is then called with `.cancelled`, unless it was called
    /// before.
    func start(
        _ name: HostName, _ resolver: Resolver, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool,
        progress: @escaping @Sendable ([IPAddress]) -> Void = { _ in },
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> CancellationToken {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let waiter = Waiter(name: name, enough: enough, progress: progress, completion: completion)
        loop.enqueue { self.add(number, waiter, resolver, deadline) }
        return CancellationToken { self.loop.enqueue { self.finish(number, missing: .cancelled) } }
    }

    /// The token keeps the resolver, which knows what the files said last, until it is used or released.
    func observe(_ handler: @escaping @Sendable (Bool) -> Void, _ resolver: Resolver) -> CancellationToken {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        loop.enqueue { [weak resolver] in
            guard let resolver else { return }
            self.state.observers[number] = handler
            self.watchFiles(resolver)
            handler(self.notifier.isWatching)
        }
        return CancellationToken {
            withExtendedLifetime(resolver) { self.loop.enqueue { self.removeObserver(number) } }
        }
    }

    /// Asks all open questions once more, through new sockets.
    func startOver(_ resolver: Resolver) {
        loop.enqueue {
            if !self.state.lookups.isEmpty { self.restart(resolver, resolver.configuration) }
        }
    }

    /// Releases everything that is registered with the loop.
    func close() {
        loop.enqueue {
            self.state.queue.reset()
            self.notifier.remove(self)
            self.state.observers = [:]
        }
    }

    // MARK: Waiters

    /// Whether anything but a change of a file could wake the loop.
    var hasWork: Bool { state.queue.hasWork || !state.waiters.isEmpty }

    private func add(_ number: UInt64, _ waiter: Waiter, _ resolver: Resolver, _ deadline: BootTime) {
        lookAtFiles()
        let now = resolver.environment.time.now()
        if let known = resolver.known(waiter.name) {
            if known.isUsable(at: now, waiter.enough) { return waiter.completion(known) }
            if !known.addresses.isEmpty { waiter.progress(known.addresses) }
        }
        if state.lookups[waiter.name] == nil {
            let configuration = resolver.configuration
            if let refusal = resolver.refusal(waiter.name, configuration) { return waiter.completion(refusal) }
            // Another thread may have noticed a change of the files before this loop did.
            if state.queue.isOutdated(by: configuration) { restart(resolver, configuration) }
            state.lookups[waiter.name] = Lookup(resolver, configuration, waiter.name)
            busyNames.withLock { _ = $0.insert(waiter.name) }
            watchFiles(resolver)
            ask(waiter.name)
        }
        guard let lookup = state.lookups[waiter.name] else { return }
        var waiter = waiter
        if deadline != .distantFuture {
            waiter.deadlineTimer = loop.schedule(at: deadline) { self.finish(number, missing: .deadlinePassed) }
        }
        state.waiters[number] = waiter
        lookup.waiters.insert(number)
        reportProgress(lookup, number)
        state.queue.send()
    }

    private func reportProgress(_ lookup: Lookup, _ number: UInt64) {
        let addresses = lookup.progress.addresses
        guard let waiter = state.waiters[number], !addresses.isEmpty else { return }
        waiter.progress(addresses)
        guard waiter.checkTimer == nil else { return }
        let end = loop.now().advanced(by: Resolver.secondFamilyTimeout)
        state.waiters[number]?.checkTimer = loop.schedule(at: end) { self.checkEnough(number) }
    }

    /// Ends a wait if the addresses known so far are enough.
    private func checkEnough(_ number: UInt64) {
        state.waiters[number]?.checkTimer = nil
        guard let waiter = state.waiters[number], let addresses = state.lookups[waiter.name]?.progress.addresses,
            !addresses.isEmpty, waiter.enough(addresses)
        else { return }
        finish(number, missing: .notAwaited)
    }

    private func cancelTimers(_ waiter: Waiter) {
        for timer in [waiter.deadlineTimer, waiter.checkTimer] { timer.map(loop.cancel) }
    }

    /// Ends one wait with what is known. The lookup goes on if it has other waiters.
    private func finish(_ number: UInt64, missing: FamilyOutcome) {
        guard let waiter = state.waiters.removeValue(forKey: number) else { return }
        cancelTimers(waiter)
        guard let lookup = state.lookups[waiter.name] else { return }
        lookup.waiters.remove(number)
        let resolution = resolution(waiter.name, lookup, missing: missing)
        if lookup.waiters.isEmpty { remove(waiter.name) }
        if missing == .cancelled {
            let none = Resolution(
                waiter.name, v4: .cancelled, v6: .cancelled, outcome: .cancelled,
                made: lookup.resolver.environment.time.now(), configuration: lookup.configuration)
            return waiter.completion(none)
        }
        lookup.resolver.store(resolution)
        waiter.completion(resolution)
    }

    private func resolution(_ name: HostName, _ lookup: Lookup, missing: FamilyOutcome) -> Resolution {
        Resolution(
            name, v4: lookup.progress.outcome(.v4, missing: missing),
            v6: lookup.progress.outcome(.v6, missing: missing), made: lookup.resolver.environment.time.now(),
            configuration: lookup.configuration)
    }

    /// Forgets a lookup. Answers to it that still come are ignored.
    private func remove(_ name: HostName) {
        state.lookups[name] = nil
        busyNames.withLock { _ = $0.remove(name) }
        guard state.lookups.isEmpty else { return }
        state.queue.clear()
        if state.observers.isEmpty { notifier.remove(self) }
    }

    private func complete(_ name: HostName, _ lookup: Lookup, with resolution: Resolution) {
        lookup.resolver.store(resolution)
        remove(name)
        let waiters = lookup.waiters.sorted().compactMap { state.waiters.removeValue(forKey: $0) }
        for waiter in waiters {
            cancelTimers(waiter)
            waiter.completion(resolution)
        }
    }

    // MARK: Questions

    private func ask(_ name: HostName) {
        guard let lookup = state.lookups[name] else { return }
        let round = lookup.progress.round
        for family in AddressFamily.allCases {
            state.queue.enqueue(lookup.progress.question, family, lookup.configuration) { [weak lookup] outcome in
                // A later lookup of the same name has questions of its own.
                guard let lookup, self.state.lookups[name] === lookup else { return }
                self.record(outcome, name, lookup, family, round)
            }
        }
    }

    private func record(
        _ outcome: FamilyOutcome, _ name: HostName, _ lookup: Lookup, _ family: AddressFamily, _ round: Int
    ) {
        if lookup.progress.record(outcome, for: family, round: round) {
            ask(name)
        } else if lookup.progress.isFinished {
            complete(name, lookup, with: resolution(name, lookup, missing: .cancelled))
        } else {
            for number in lookup.waiters { reportProgress(lookup, number) }
        }
    }

    // MARK: Configuration files

    private func watchFiles(_ resolver: Resolver) {
        notifier.add(self) { [weak self, weak resolver] in
            if let self, let resolver { filesChanged(resolver) }
        }
    }

    private func removeObserver(_ number: UInt64) {
        state.observers[number] = nil
        if state.observers.isEmpty, state.lookups.isEmpty { notifier.remove(self) }
    }

    /// Where no event would tell of a changed file, looks whether one has changed, and tries to get events from now on.
    func lookAtFiles() {
        notifier.lookWithoutEvents()
    }

    private func filesChanged(_ resolver: Resolver) {
        restart(resolver, resolver.configuration)
        for (_, observer) in state.observers.sorted(by: { $0.key < $1.key }) { observer(notifier.isWatching) }
    }

    /// Starts all lookups again, under another configuration.
    private func restart(_ resolver: Resolver, _ configuration: ResolverConfiguration) {
        state.queue.reset()
        for (name, lookup) in state.lookups {
            if let answer = configuration.localAnswer(name) ?? resolver.refusal(name, configuration) {
                complete(name, lookup, with: answer)
            } else {
                lookup.configuration = configuration
                lookup.progress = LookupProgress(candidates: configuration.resolvConf.candidates(for: name))
                ask(name)
            }
        }
        state.queue.send()
    }
}
