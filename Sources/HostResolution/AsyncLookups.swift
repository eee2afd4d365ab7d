// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import Synchronization

/// The part of a resolver that lives on an event loop: all its lookups go through one channel.
///
/// Everything but `begin`, `cancel`, `isResolving`, `observe`, `forgetObserver` and `close` happens on the loop's thread.
final class AsyncLookups: Sendable {
    private let loop: EventLoop
    private let files: ConfigurationNotifier
    /// In the child of a fork the loop has no thread.
    private let forkEpoch = ForkEpoch.current
    private let numbers = Atomic<UInt64>(0)
    /// The names that are being looked up, for threads that would look up the same.
    private let busy = Mutex<Set<HostName>>([])
    private let confined: Confined

    /// Touched by the loop's thread alone.
    private final class Confined: @unchecked Sendable {
        var flights: [HostName: Flight] = [:]
        var waiters: [UInt64: Waiter] = [:]
        var observers: [UInt64: @Sendable (Bool) -> Void] = [:]
        let asker: QueryQueue
        init(_ asker: QueryQueue) { self.asker = asker }
    }

    private final class Flight {
        /// Keeps the resolver alive while somebody waits.
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
        let completion: @Sendable (Resolution) -> Void
        var timers: [EventLoop.TimerToken] = []
        var isSatisfied = false
    }

    init(_ loop: EventLoop, _ resolver: Resolver) {
        self.loop = loop
        files = resolver.files.part(on: loop)
        confined = Confined(QueryQueue(loop))
    }

    // MARK: From any thread

    var isCurrent: Bool { loop.isCurrent }

    func isResolving(_ name: HostName) -> Bool {
        forkEpoch == ForkEpoch.current && busy.withLock { $0.contains(name) }
    }

    func begin(
        _ name: HostName, _ resolver: Resolver, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool, completion: @escaping @Sendable (Resolution) -> Void
    ) -> LookupToken {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let waiter = Waiter(name: name, enough: enough, completion: completion)
        loop.enqueue { self.admit(number, waiter, resolver, deadline) }
        return LookupToken(self, number)
    }

    func cancel(_ number: UInt64) {
        loop.enqueue { self.finish(number, missing: .cancelled) }
    }

    func observe(_ handler: @escaping @Sendable (Bool) -> Void, _ resolver: Resolver) -> ConfigurationObservation {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        loop.enqueue { [weak resolver] in
            guard let resolver else { return }
            self.confined.observers[number] = handler
            self.watchFiles(resolver)
            handler(self.files.hearsOfChanges)
        }
        return ConfigurationObservation(resolver, self, number)
    }

    func forgetObserver(_ number: UInt64) {
        loop.enqueue {
            self.confined.observers[number] = nil
            if self.confined.observers.isEmpty, self.confined.flights.isEmpty { self.files.remove(self) }
        }
    }

    /// Has questions that are under way be asked once more, through new sockets.
    func startOver(_ resolver: Resolver) {
        loop.enqueue {
            if !self.confined.flights.isEmpty { self.beginAnew(resolver, resolver.configuration) }
        }
    }

    /// Lets go of the loop.
    func close() {
        loop.enqueue {
            self.confined.asker.close()
            self.files.remove(self)
            self.confined.observers = [:]
        }
    }

    /// Whether anything but a change of a file could wake the loop. On the loop's thread.
    var hasWork: Bool { confined.asker.hasWork || !confined.waiters.isEmpty }

    // MARK: Waiters

    private func admit(_ number: UInt64, _ waiter: Waiter, _ resolver: Resolver, _ deadline: BootTime) {
        lookAtFiles()
        let now = resolver.environment.time.now()
        if let known = resolver.known(waiter.name), known.isUsable(at: now, waiter.enough) {
            return waiter.completion(known)
        }
        if confined.flights[waiter.name] == nil {
            let configuration = resolver.configuration
            if let refusal = resolver.refusal(waiter.name, configuration) { return waiter.completion(refusal) }
            // Somebody else may have noticed a change of the files before this loop's own watch did.
            if confined.asker.isOutdated(by: configuration) { beginAnew(resolver, configuration) }
            confined.flights[waiter.name] = Flight(resolver, configuration, waiter.name)
            busy.withLock { _ = $0.insert(waiter.name) }
            watchFiles(resolver)
            ask(waiter.name)
        }
        guard let flight = confined.flights[waiter.name] else { return }
        var waiter = waiter
        if deadline != .distantFuture {
            waiter.timers.append(loop.schedule(at: deadline) { self.finish(number, missing: .deadlinePassed) })
        }
        confined.waiters[number] = waiter
        flight.waiters.insert(number)
        notice(flight, number)
        confined.asker.send()
    }

    /// Asks a waiter whether what is known is enough for it.
    private func notice(_ flight: Flight, _ number: UInt64) {
        let addresses = flight.progress.addresses
        guard let waiter = confined.waiters[number], !waiter.isSatisfied, !addresses.isEmpty,
            waiter.enough(addresses)
        else { return }
        let end = loop.now().advanced(by: Resolver.secondFamilyPatience)
        let timer = loop.schedule(at: end) { self.finish(number, missing: .notAwaited) }
        confined.waiters[number]?.isSatisfied = true
        confined.waiters[number]?.timers.append(timer)
    }

    /// Ends one wait with what is known; the lookup goes on while somebody else waits for it.
    private func finish(_ number: UInt64, missing: FamilyOutcome) {
        guard let waiter = confined.waiters.removeValue(forKey: number) else { return }
        for timer in waiter.timers { loop.cancel(timer) }
        guard let flight = confined.flights[waiter.name] else { return }
        flight.waiters.remove(number)
        let resolution = resolution(waiter.name, flight, missing: missing)
        if flight.waiters.isEmpty { land(waiter.name) }
        if missing == .cancelled {
            let none = Resolution(
                waiter.name, v4: .cancelled, v6: .cancelled, outcome: .cancelled,
                made: flight.resolver.environment.time.now(), configuration: flight.configuration)
            return waiter.completion(none)
        }
        flight.resolver.store(resolution)
        waiter.completion(resolution)
    }

    private func resolution(_ name: HostName, _ flight: Flight, missing: FamilyOutcome) -> Resolution {
        Resolution(
            name, v4: flight.progress.outcome(.v4, missing: missing),
            v6: flight.progress.outcome(.v6, missing: missing), made: flight.resolver.environment.time.now(),
            configuration: flight.configuration)
    }

    /// Forgets a lookup. Answers that still come find nobody.
    private func land(_ name: HostName) {
        confined.flights[name] = nil
        busy.withLock { _ = $0.remove(name) }
        guard confined.flights.isEmpty else { return }
        confined.asker.rest()
        if confined.observers.isEmpty { files.remove(self) }
    }

    private func complete(_ name: HostName, _ flight: Flight, with resolution: Resolution) {
        flight.resolver.store(resolution)
        land(name)
        let waiters = flight.waiters.sorted().compactMap { confined.waiters.removeValue(forKey: $0) }
        for waiter in waiters {
            for timer in waiter.timers { loop.cancel(timer) }
            waiter.completion(resolution)
        }
    }

    // MARK: Questions

    private func ask(_ name: HostName) {
        guard let flight = confined.flights[name] else { return }
        let round = flight.progress.round
        for family in AddressFamily.allCases {
            confined.asker.enqueue(flight.progress.question, family, flight.configuration) {
                [weak flight] outcome in
                // Nobody waits any more; and a lookup of the same name that began later has questions of its own.
                guard let flight, self.confined.flights[name] === flight else { return }
                self.record(outcome, name, flight, family, round)
            }
        }
    }

    private func record(
        _ outcome: FamilyOutcome, _ name: HostName, _ flight: Flight, _ family: AddressFamily, _ round: Int
    ) {
        if flight.progress.record(outcome, for: family, round: round) {
            ask(name)
        } else if flight.progress.isFinished {
            complete(name, flight, with: resolution(name, flight, missing: .cancelled))
        } else {
            for number in flight.waiters { notice(flight, number) }
        }
    }

    // MARK: Configuration files

    private func watchFiles(_ resolver: Resolver) {
        files.add(self) { [weak self, weak resolver] in
            if let self, let resolver { filesChanged(resolver) }
        }
    }

    /// Where nothing would tell of a changed file, looks whether one has, and tries to be told from now on. For whoever
    /// is awake already; on the loop's thread.
    func lookAtFiles() {
        files.lookIfUntold()
    }

    private func filesChanged(_ resolver: Resolver) {
        beginAnew(resolver, resolver.configuration)
        for (_, observer) in confined.observers.sorted(by: { $0.key < $1.key }) { observer(files.hearsOfChanges) }
    }

    /// Asks all over again, under another configuration.
    private func beginAnew(_ resolver: Resolver, _ configuration: ResolverConfiguration) {
        confined.asker.reset()
        for (name, flight) in confined.flights {
            if let answer = configuration.localAnswer(name) ?? resolver.refusal(name, configuration) {
                complete(name, flight, with: answer)
            } else {
                flight.configuration = configuration
                flight.progress = LookupProgress(candidates: configuration.resolvConf.candidates(for: name))
                ask(name)
            }
        }
        confined.asker.send()
    }
}
