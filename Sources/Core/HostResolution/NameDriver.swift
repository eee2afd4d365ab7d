// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Synchronization

/// Makes a resolver's lookups on one event loop, as `NameMachine` decides.
///
/// The members under "From any thread" may be called from any thread. Everything else runs on the loop's thread.
final class NameDriver: @unchecked Sendable {
    /// Someone who waits for an answer.
    struct Waiter: Sendable {
        let enough: @Sendable ([IPAddress]) -> Bool
        let progress: @Sendable ([IPAddress]) -> Void
        let completion: @Sendable (Resolution) -> Void
    }

    private let loop: EventLoop
    private let notifier: ConfigurationNotifier
    private let time: any TimeSource
    private let lastNumber = Atomic<UInt64>(0)
    private let count = Atomic<Int>(0)

    private var machine = NameMachine()
    private var waiters: [NameMachine.Waiter: Waiter] = [:] {
        didSet { count.store(waiters.count, ordering: .relaxed) }
    }
    private var servers: NameServers?
    /// Kept until the last lookup is over.
    private var resolver: Resolver?
    private var timer: (timer: LoopTimer, due: BootTime)?
    /// Tells of the loop's end, which this object does not outlive. Nil before the first work.
    private var loopEnd: CancellationToken?

    init(_ loop: EventLoop, _ resolver: Resolver) {
        self.loop = loop
        time = resolver.environment.time
        notifier = resolver.shared.files.notifier(on: loop)
    }

    // MARK: From any thread

    var waiterCount: Int { count.load(ordering: .relaxed) }

    /// The token ends this wait and no other. The waiter is then told `.cancelled`, unless it was told before.
    ///
    /// - Parameter plan: made just now, when no answer was known.
    /// - Returns: nil if the loop has ended. Then the waiter is told nothing.
    func start(
        _ query: NameQuery, _ resolver: Resolver, _ plan: Resolver.Plan? = nil, deadline: BootTime, _ waiter: Waiter
    ) -> CancellationToken? {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        guard loop.enqueue({ self.add(number, waiter, query, resolver, plan, deadline) }) else { return nil }
        return CancellationToken {
            self.loop.enqueue {
                self.machine.leave(number, missing: .cancelled)
                self.act()
            }
        }
    }

    /// Asks all open questions once more, through new sockets.
    func startOver(_ resolver: Resolver) {
        loop.enqueue {
            self.watchLoop(resolver)
            self.restart(resolver, resolver.configuration)
            self.act()
        }
    }

    /// Releases everything that is registered with the loop. The resolver, which is about to end, calls nothing after this.
    func close() { loop.enqueue { self.end(because: nil) } }

    // MARK: The end

    private func watchLoop(_ resolver: Resolver) {
        guard loopEnd == nil else { return }
        loopEnd = loop.whenEnded(isForAll: true) { [self, weak resolver] failure in
            end(because: failure)
            resolver?.forget(loop)
        }
    }

    /// Who still waits is told why the loop has failed, and nothing without a failure.
    private func end(because failure: Errno?) {
        for query in machine.queries {
            let numbers = machine.remove(query)
            guard let failure, let configuration = servers?.configuration else { continue }
            let answer = Resolution(query, couldNotAsk: failure, made: time.now(), configuration: configuration)
            complete(query, numbers, answer)
        }
        act()
        // What waits may hold the token of its lookup, and with that this driver.
        waiters = [:]
        servers = nil
        notifier.remove(self)
        loopEnd.take()?.cancel()
    }

    // MARK: Lookups

    /// Whether anything but a change of a file could wake the loop.
    var hasWork: Bool { timer != nil || servers?.hasWork == true || !waiters.isEmpty }

    private func add(
        _ number: NameMachine.Waiter, _ waiter: Waiter, _ query: NameQuery, _ resolver: Resolver,
        _ plan: Resolver.Plan?, _ deadline: BootTime
    ) {
        watchLoop(resolver)
        notifier.lookWithoutEvents()
        let known = if let plan { resolver.cached(query, plan.configuration) } else { resolver.known(query) }
        if let known {
            if known.isUsable(at: time.now(), waiter.enough) { return waiter.completion(known) }
            if !known.addresses.isEmpty { waiter.progress(known.addresses) }
        }
        // Watched first and read then, so that a change in between is an event.
        watchFiles(resolver)
        defer { act() }
        let usable = plan.flatMap { $0.configuration.isCurrent ? $0 : nil }
        lazy var present = usable ?? resolver.plan(query, resolver.configuration)
        if !machine.isResolving(query) {
            if let answer = resolver.answer(query, present) { return waiter.completion(answer) }
            // Another thread may have noticed a change of the files before this loop did.
            if servers?.configuration !== present.configuration { restart(resolver, present.configuration) }
            self.resolver = resolver
        }
        waiters[number] = waiter
        machine.add(number, for: query, present.lookup, deadline: deadline, now: loop.now())
    }

    /// Does what the machine decided, until there is nothing more to do now.
    private func act() {
        while true {
            let (actions, endings) = (machine.takeActions(), servers?.takeEndings() ?? [])
            if actions.isEmpty, endings.isEmpty {
                let hasAsked = servers?.clean(openQuestions: machine.openCount) { machine.isOpen($0) } ?? false
                if hasAsked { continue } else { break }
            }
            for (attempt, outcome) in endings {
                machine.record(attempt.ticket, attempt: attempt.number, outcome, now: loop.now())
            }
            for action in actions { perform(action) }
        }
        armTimer()
        guard machine.isIdle else { return }
        resolver = nil
        notifier.remove(self)
    }

    private func perform(_ action: NameMachine.Action) {
        switch action {
        case .ask(let attempt, let position): servers?.ask(attempt, at: position)
        case .askModule(let ticket, let module, let query, let end):
            guard let environment = servers?.configuration.environment else { return }
            resolver?.shared.modules.ask(module, query, environment, until: end) { [weak self] result in
                guard let self else { return }
                loop.enqueue {
                    switch result {
                    case .success(let finding): self.machine.record(ticket, finding, now: self.loop.now())
                    case .failure(let error): self.machine.refuse(ticket, error)
                    }
                    self.act()
                }
            }
        case .report(let number, let addresses): waiters[number]?.progress(addresses)
        case .check(let number, let addresses):
            if waiters[number]?.enough(addresses) == true { machine.leave(number, missing: .notAwaited) }
        case .finish(let numbers, let query, let finding):
            guard let configuration = servers?.configuration else { return }
            complete(query, numbers, Resolution(query, finding, made: time.now(), configuration: configuration))
        }
    }

    private func complete(_ query: NameQuery, _ numbers: [NameMachine.Waiter], _ resolution: Resolution) {
        resolver?.store(resolution)
        for waiter in numbers.compactMap({ waiters.removeValue(forKey: $0) }) { waiter.completion(resolution) }
    }

    private func armTimer() {
        let next = machine.nextMoment
        guard next != timer?.due else { return }
        timer.map { loop.cancel($0.timer) }
        timer = next.map { due in
            let timer = loop.schedule(at: due) {
                self.timer = nil
                self.machine.advance(to: self.loop.now())
                self.act()
            }
            return (timer, due)
        }
    }

    // MARK: Configuration files

    private func watchFiles(_ resolver: Resolver) {
        notifier.add(self) { [weak self, weak resolver] in
            if let self, let resolver { filesChanged(resolver) }
        }
    }

    private func filesChanged(_ resolver: Resolver) {
        restart(resolver, resolver.configuration)
        act()
    }

    /// Starts all lookups again, under this configuration. `act` has to follow.
    private func restart(_ resolver: Resolver, _ configuration: ResolverConfiguration) {
        servers = NameServers(configuration, on: loop) { [weak self] in self?.act() }
        machine.use(configuration.plan, rotation: configuration.nextRotation())
        for query in machine.queries {
            machine.restart(query, resolver.plan(query, configuration).lookup, now: loop.now())
        }
    }
}

/// An event loop without a thread of its own, for threads that wait for their lookups. One of them runs the loop while
/// the others sleep. When it has its answer, or no more time, another takes over.
final class CallerLoop: Sendable {
    let loop: EventLoop
    private let notifier: ConfigurationNotifier
    private let state = ConditionLock(State())

    private struct State {
        /// Whether a thread runs the loop.
        var isRunning = false
        var lastCaller: UInt64 = 0
        var answers: [UInt64: Resolution] = [:]

        /// Makes the calling thread the one that runs the loop, if there is none.
        mutating func claim() -> Bool {
            defer { isRunning = true }
            return !isRunning
        }
    }

    /// Fails if descriptors or memory are exhausted.
    init(_ files: ConfigurationFiles) throws(Errno) {
        loop = try EventLoop(time: files.time)
        // Looking after each turn costs less than waiting for events does, as most lookups are short.
        notifier = files.notifier(on: loop, usesEvents: false)
    }

    deinit {
        // What was enqueued for the loop would keep it otherwise.
        loop.stop()
        loop.turn()
    }

    func resolve(
        _ query: NameQuery, _ resolver: Resolver, _ driver: NameDriver, _ plan: Resolver.Plan, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        var (caller, runs) = state.withLock { state in
            state.lastCaller += 1
            return (state.lastCaller, state.claim())
        }
        let waiter = NameDriver.Waiter(enough: enough, progress: { _ in }) { [state, caller] resolution in
            state.withLock { $0.answers[caller] = resolution }
            state.broadcast()
        }
        func begin() { _ = driver.start(query, resolver, plan, deadline: deadline, waiter) }
        // The thread that runs the loop need not wake it.
        if runs { loop.perform(begin) } else { begin() }
        while true {
            if runs {
                while loop.failure == nil, state.withLock({ $0.answers[caller] == nil }) {
                    loop.turn(waiting: true, last: notifier.lookWithoutEvents)
                }
                state.withLock { $0.isRunning = false }
                state.broadcast()
            } else {
                state.wait(atMost: nil) { $0.isRunning && $0.answers[caller] == nil }
            }
            let failure = loop.failure
            if runs, failure == nil { finishEnqueuedWork() }
            let answer = state.withLock { state in
                let answer = state.answers.removeValue(forKey: caller)
                // Nobody runs a loop that has failed, so every other thread sees that it stands still.
                runs = answer == nil && failure == nil && state.claim()
                return answer
            }
            if let answer { return answer }
            if let failure {
                return Resolution(
                    query, couldNotAsk: failure, made: loop.now(), configuration: resolver.configuration)
            }
        }
    }

    /// Does what was enqueued while no thread runs the loop, and what it leads to: a resolver that was released leaves such work, and
    /// there may be no further lookup. If a thread runs the loop, it does so at its end.
    func finishEnqueuedWork() {
        while loop.hasEnqueuedWork, state.withLock({ $0.claim() }) {
            loop.turn()
            state.withLock { $0.isRunning = false }
            state.broadcast()
        }
    }
}
