// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Takes part in the work of an engine: a module above it watches things that lead to other targets, such as names. Confined to
/// the engine's thread.
package protocol EngineAddition: AnyObject {
    /// Called before the engine determines which targets these changes concern.
    func evaluationWillBegin(at changes: PendingChanges)
    /// The engine has stopped: nothing is watched any more.
    func end()
    /// The loop has failed: nothing is watched any more.
    func fail(_ error: ReachabilityError)
}

/// The core of an engine: collects changes, asks the kernel again about the watched targets that they concern, and notifies
/// subscribers whose answers have changed.
package final class EngineCore: @unchecked Sendable {  // confined to the engine's thread
    package let loop: EventLoop
    package let namespace: NamespaceContext
    let kernel: KernelAccess
    let counters: EngineCounters
    package let trace = Trace()

    /// After a change of the agenda, `evaluateIfDue` or `setWake` has to be called.
    var agenda: Agenda<DueWatch>
    private var wake: (moment: BootTime, timer: LoopTimer)?
    /// Whether the loop was asked to call `evaluateIfDue` after its present work.
    private var isCalled = false
    private var underWay: Evaluation?
    /// An evaluation that waits while new subscribers get their answers.
    private var interrupted: Evaluation?
    /// True also between the time slices of an evaluation.
    private(set) var isEvaluating = false
    /// The number of the last evaluation, or of the last time slice of one.
    private var lastNumber: UInt32 = 0
    private var watches = WatchTable()
    private(set) lazy var announcements = AnnouncementReader(loop, namespace, counters, trace) { [weak self] in
        self?.hear()
    }
    /// Ends the engine's interest in the end of the loop, which may outlive the engine.
    var loopEnd: CancellationToken?
    /// Set by a module above, once.
    package var addition: (any EngineAddition)?
    package private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// The `changeCount` of the socket defaults when the kernel was last asked about all targets.
    private var seenSocketChanges: UInt64

    init(loop: EventLoop, namespace: NamespaceContext, kernel: KernelAccess, counters: EngineCounters) {
        (self.loop, self.namespace, self.kernel, self.counters) = (loop, namespace, kernel, counters)
        seenSocketChanges = kernel.socketDefaults.changeCount
        agenda = Agenda(namespace.sharedEngine.pace.withLock(\.self))
    }

    func end() {
        announcements.end()
        addition?.end()
        watches = WatchTable()
        (underWay, interrupted) = (nil, nil)
        agenda = Agenda(namespace.sharedEngine.pace.withLock(\.self))
        setWake()
        loopEnd.take()?.cancel()
    }

    /// The loop has failed. Reports to all subscribers that nothing more will come.
    func fail(_ error: ReachabilityError) {
        var subscribers: [any Subscriber] = []
        watches.forEach { watch in watch.subscribers.forEach { subscribers.append($0) } }
        let addition = addition.take()
        end()
        for subscriber in subscribers { subscriber.end(because: error) }
        addition?.fail(error)
        paths.subscribers.forEach { $0.end(because: error) }
    }

    // MARK: What is watched

    /// Watches a target. The subscriber is notified soon, and at every change.
    @discardableResult
    package func add(_ subscriber: any Subscriber, to target: Target, _ keys: RoutingKeys) -> WatchedTarget {
        let (watch, isNew) = watches.watch(target, keys)
        watch.add(subscriber)
        if isNew { noteNewAddresses() }
        // A group is evaluated as a whole, at the request of its owner.
        if subscriber.group == nil { ask(about: watch, for: subscriber) }
        return watch
    }

    package func remove(_ subscriber: any Subscriber, from target: Target, _ keys: RoutingKeys) {
        guard let watch = watches.existing(target, keys) else { return }
        watch.remove(subscriber)
        if watch.subscribers.isEmpty { watches.remove(watch) }
    }

    /// Replaces the members of a group by these targets. The group is evaluated soon.
    ///
    /// - Parameter origin: the source of the targets; nil if the group is no longer watched.
    package func set(_ group: WatchGroup, to targets: [Target], _ keys: RoutingKeys, from origin: AnyObject?) {
        let before = group.members
        group.set(targets.map { add(group, to: $0, keys) }, from: origin)
        for member in before where !group.members.contains(where: { $0 === member }) {
            remove(group, from: member.target, keys)
        }
        if origin != nil { ask(about: group) }
    }

    /// New addresses are watched. Called before the kernel is asked about them.
    func noteNewAddresses() {
        announcements.addressesWereAdded()
        recheckLater()
    }

    /// Makes a watch due, to be evaluated soon. A new subscriber does not get the stored answer, which may be older than what the
    /// subscriber already knows; it waits for the evaluation.
    ///
    /// - Parameter newcomer: the subscriber to notify of the answer; nil to notify all subscribers if the answer has changed.
    package func ask(about watch: Watch, for newcomer: (any Subscriber)? = nil) {
        agenda.ask(for: CollectionOfOne(DueWatch(watch, for: newcomer)), at: loop.now())
        setWake()
    }

    package func watch(of target: Target, _ keys: RoutingKeys) -> WatchedTarget? { watches.existing(target, keys) }

    var isWatching: Bool { watches.count > 0 || paths.isActive }

    /// The addresses whose routes matter; nil if there are more than `limit`.
    func watchedAddresses(atMost limit: Int) -> [IPAddress]? {
        let ofPath = paths.isActive ? IPAddress.behindDefault : []
        return watches.addresses(atMost: limit - ofPath.count).map { $0 + ofPath }
    }

    /// Whether the answer for a watched target, or the path, may depend on an announcement.
    func isConcerned(by announcement: Announcement) -> Bool {
        guard case .route(let prefix, _) = announcement else { return true }
        return watches.hasAny(in: prefix) || paths.isConcerned(by: prefix)
    }

    // MARK: What makes something due

    /// The kernel could not be asked.
    package func askingFailed() {
        counters.count { $0.failures += 1 }
        agenda.failed(at: loop.now())
        setWake()
    }

    /// The kernel refused to answer about some targets. It would refuse again, so it is not asked before something changes or,
    /// where not all changes are announced, the next interval has passed.
    func askingWasRefused() { counters.count { $0.failures += 1 } }

    func begin(with socket: AnnouncementSocket) {
        announcements.begin(with: socket)
        recheckLater()
    }

    /// Reads what was announced, adds it to the agenda, and returns it.
    @discardableResult
    private func listen() -> PendingChanges {
        var heard = PendingChanges()
        announcements.read(into: &heard, isConcerned)
        if heard.links { paths.forgetInterfaces() }
        agenda.announced.add(heard)
        // The socket may have just been lost.
        recheckLater()
        return heard
    }

    private func hear() {
        listen()
        evaluateIfDue()
        // Attaching a filter takes as long as an evaluation, so subscribers that wait for an evaluation come first.
        announcements.filterIfUseful(watchedAddresses)
    }

    /// Makes everything due a little later, if the kernel does not announce all changes.
    func recheckLater() {
        guard !announcements.isToldAll, isWatching else { return }
        recheck(at: loop.now().advanced(by: namespace.sharedEngine.recheckInterval.withLock(\.self)))
    }

    /// Makes everything due at this moment.
    func recheck(at moment: BootTime) {
        agenda.everything(at: moment)
        setWake()
    }

    /// Evaluates everything again if new sockets have another mark or interface than before: every answer depends on these.
    /// Finding that out takes longer than evaluating one target, so it is not done when an announcement arrives, but after the
    /// evaluation that follows, and before new subscribers are notified.
    private func noticeSocketChanges() {
        kernel.refreshSocketDefaults(at: loop.now())
        let count = kernel.socketDefaults.changeCount
        guard count != seenSocketChanges else { return }
        seenSocketChanges = count
        agenda.announced.addEverything()
    }

    /// Calls `body` when everything that was announced before has been evaluated, including repeated evaluations, and the
    /// subscribers have been notified. For tests, which cannot wait for a callback that does not come.
    package func whenSettled(_ body: @escaping () -> Void) {
        listen()
        evaluateIfDue()
        let next = isEvaluating || announcements.hasUnread ? loop.now() : agenda.nextOfChanges
        guard next < .distantFuture else { return body() }
        loop.schedule(at: next) { [self] in whenSettled(body) }
    }

    // MARK: Evaluating

    /// Evaluates what is due, and sets the timer for the next evaluation. After `Evaluation.turnLimit`, timers and descriptors of
    /// the loop are served.
    func evaluateIfDue() {
        // Work that is found in the meantime is due afterwards.
        guard !isEvaluating else { return }
        isEvaluating = true
        // The time to find the concerned targets counts, too: with very many targets it takes a while.
        var last = loop.processorTime()
        let limit = last + Evaluation.turnLimit
        while var current = nextEvaluation() {
            goOn(&current, until: limit)
            let now = loop.processorTime()
            current.took += now - last
            last = now
            if current.isAtEnd { finish(current) } else { underWay = current }
            guard underWay == nil, now < limit else {
                loop.schedule(at: loop.now()) { [weak self] in
                    self?.isEvaluating = false
                    self?.evaluateIfDue()
                }
                return
            }
        }
        isEvaluating = false
        setWake()
    }

    /// Returns the evaluation that continues or begins now. New subscribers wait for one time slice of a long evaluation, not for
    /// all of it.
    private func nextEvaluation() -> Evaluation? {
        if interrupted == nil, let current = underWay, !current.due.isAsked, let asked = agenda.popAsked(at: loop.now())
        {
            interrupted = current
            underWay = begin(asked)
        }
        return underWay.take() ?? interrupted.take() ?? agenda.pop(at: loop.now()).map(begin)
    }

    func setWake() {
        guard !isEvaluating else { return }
        let next = agenda.next
        guard next != wake?.moment ?? .distantFuture else { return }
        if let wake { loop.cancel(wake.timer) }
        wake = nil
        guard next < .distantFuture else { return }
        if next <= loop.now() { return callSoon() }
        let timer = loop.schedule(at: next) { [weak self] in
            self?.wake = nil
            self?.evaluateIfDue()
        }
        wake = (next, timer)
    }

    /// Requests that come together are evaluated together.
    private func callSoon() {
        guard !isCalled else { return }
        isCalled = true
        loop.enqueue { [weak self] in
            self?.isCalled = false
            self?.evaluateIfDue()
        }
    }

    private func begin(_ due: Agenda<DueWatch>.Due) -> Evaluation {
        lastNumber &+= 1
        var due = due
        var proof = Evaluation.Proof.kept
        switch due.occasion {
        case .asked:
            noticeSocketChanges()
            if due.entries.contains(where: { $0.newcomer == nil && $0.watch.group != nil }) { due.causes = .name }
        case .announced(let changes):
            if due.mayBeUnderWay { proof = .lost }
            addition?.evaluationWillBegin(at: changes)
            due.entries = concerned(by: changes)
        case .unproved, .late:
            if due.mayBeUnderWay, !due.entries.isEmpty { proof = proofUnderLock() }
            // A change that this evaluation finds may have just been announced, and that announcement is then its cause.
            listen()
            due.causes.formUnion(agenda.announced.causes)
            due.entries = due.entries.filter { $0.watch.mark(lastNumber) }
        case .ended:
            due.causes = .expiry
            due.entries = takeEnded()
        case .everything:
            counters.count { $0.rechecks += 1 }
            (due.causes, proof) = (.other, .lost)
            var everything = PendingChanges()
            everything.addEverything()
            addition?.evaluationWillBegin(at: everything)
            paths.forgetInterfaces()
            due.entries = concerned(by: everything)
        }
        return Evaluation(due, number: lastNumber, proof)
    }

    private func proofUnderLock() -> Evaluation.Proof {
        do throws(NetlinkError) {
            try kernel.waitForChange()
            return .given
        } catch {
            if !error.isRefusal { askingFailed() }
            return .lost
        }
    }

    /// Everything watched whose answer may depend on the changes.
    private func concerned(by changes: PendingChanges) -> [DueWatch] {
        var concerned = paths.isConcerned(by: changes) ? [DueWatch(paths)] : []
        func choose(_ watch: WatchedTarget) {
            if watch.mark(lastNumber) { concerned.append(DueWatch(watch)) }
        }
        if changes.everything {
            concerned.reserveCapacity(watches.count + 1)
            watches.forEach(choose)
        }
        for prefix in changes.prefixes { watches.forEach(in: prefix, choose) }
        return concerned
    }

    /// The watched targets whose routes' lifetimes have ended.
    private func takeEnded() -> [DueWatch] {
        let now = loop.now()
        var ended: [DueWatch] = []
        func choose(_ watch: Watch, _ end: inout BootTime) {
            guard end <= now else { return agenda.ends(at: end) }
            end = .distantFuture
            ended.append(DueWatch(watch))
        }
        watches.forEach { choose($0, &$0.end) }
        choose(paths, &paths.end)
        return ended
    }

    /// Runs one time slice. In the first one, the path is read after the subscribers to targets have been notified.
    private func goOn(_ current: inout Evaluation, until limit: Duration) {
        if current.untold.isEmpty { ask(in: &current, until: limit - Evaluation.turnLimit / 2) }
        tell(in: &current, until: limit)
        guard !current.path.isEmpty else { return }
        let isOther = readPath(in: &current)
        tell(in: &current, until: limit)
        if isOther { letClientsRun() }
    }

    private func tell(in current: inout Evaluation, until limit: Duration) {
        guard !current.untold.isEmpty else { return }
        deliver(because: current.due.causes) { batch in
            repeat {
                for (subscriber, watch) in current.nextUntold() where watch.subscribers.contains(subscriber) {
                    subscriber.notify(watch, &batch)
                }
            } while !current.untold.isEmpty && loop.processorTime() < limit
        }
    }

    /// Reads the path. Returns whether it has changed.
    private func readPath(in current: inout Evaluation) -> Bool {
        let newcomers = current.path.compactMap(\.newcomer)
        current.path = []
        do throws(NetlinkError) {
            let isOther = try paths.read()
            if isOther { current.hasFoundChange = true }
            // Changes of files and hints are made before they are reported, so the path is not read again for them.
            let isOnlyAsked = if case .asked = current.due.occasion { newcomers.isEmpty } else { false }
            if !isOnlyAsked { current.unproved.append(DueWatch(paths)) }
            // Subscribers to the path are notified before the remaining ones.
            let rest = current.untold
            current.untold = []
            note(paths, isOther: isOther, in: &current)
            current.untold += newcomers.map { ($0, paths) } + rest
            return isOther
        } catch {
            askingFailed()
            agenda.ask(
                for: newcomers.map { DueWatch(paths, for: $0) }, at: loop.now().advanced(by: Pace.retryDelay))
            return false
        }
    }

    private func finish(_ evaluation: Evaluation) {
        agenda.evaluated(
            evaluation.due, unproved: evaluation.unproved, hasFoundChange: evaluation.hasFoundChange,
            taking: evaluation.took, until: loop.now())
        switch evaluation.due.occasion {
        case .announced: break
        case .everything:
            recheckLater()
            fallthrough
        default: noticeSocketChanges()
        }
    }

    // MARK: Asking

    /// Asks the kernel about what is due, and stores the answers. After a failure, subscribers whose answers have changed are
    /// notified anyway: the next evaluation finds the same answers and would notify nobody.
    private func ask(in current: inout Evaluation, until limit: Duration) {
        lastNumber &+= 1
        var (asked, count) = ([DueWatch](), 0)
        var wasRefused = false
        do throws(NetlinkError) {
            repeat {
                let batch = current.nextBatch(inTurn: lastNumber, path: paths)
                asked += batch.due
                count += batch.targets.count
                try kernel.forEachLookup(of: batch.targets) { target, lookup in
                    if lookup.failure != nil { wasRefused = true }
                    take(lookup, of: target, in: &current)
                }
            } while current.areQuestionsLeft && loop.processorTime() < limit
            judge(asked, in: &current)
        } catch {
            askingFailed()
            agenda.ask(for: current.endEarly(asked), at: loop.now().advanced(by: Pace.retryDelay))
        }
        if wasRefused { askingWasRefused() }
        guard count > 0 else { return }
        counters.count { counts in
            counts.evaluationPasses += 1
            counts.evaluations += count
        }
    }

    private func take(_ lookup: TargetLookup, of target: WatchedTarget, in current: inout Evaluation) {
        trace.looked(at: target.target, because: current.due.causes, lookup)
        let (wasEvaluated, wasAnswered) = (target.isEvaluated, target.answer != nil)
        let verdict = lookup.failure == nil ? lookup.result : nil
        target.end = verdict?.lifetime.end(now: loop.now(), known: target.end) ?? .distantFuture
        agenda.ends(at: target.end)
        // IPv6 routes are announced before lookups find them.
        target.isProved = verdict.map { current.proof.holds(after: target.isProved) && !$0.involvesIPv6 } ?? false
        let isOther = target.take(verdict.map(Observation.init))
        // The first answer of a new watch may come from before a change that is still under way.
        if isOther, wasAnswered, verdict != nil { current.hasFoundChange = true }
        if !target.isProved { current.unproved.append(DueWatch(target)) }
        // The subscribers of a target that was never evaluated are all new ones.
        if !isOther || wasEvaluated { note(target, isOther: isOther, in: &current) }
        guard isOther else { return }
        current.addGroups(of: target) { group in
            group.isToJudge = true
            return true
        }
    }

    /// Evaluates groups, and notes the subscribers that wait for the answers. A group needs answers from one moment: if a change
    /// that concerns a member was announced in between, or may be in the part of the queue that is still unread, the group is put
    /// off once, and the kernel is asked again.
    private func judge(_ asked: [DueWatch], in current: inout Evaluation) {
        let isMixed = asked.contains { $0.watch.group?.members.count ?? 0 > 1 }
        let since = isMixed ? listen() : PendingChanges()
        let mayBeMore = isMixed && announcements.hasUnread
        for due in asked {
            if let group = due.watch.group {
                guard due.wasPutOff || !(mayBeMore || group.members.contains(where: since.concern)) else {
                    current.putOff(due)
                    current.due.causes.formUnion(since.causes)
                    continue
                }
                note(group, isOther: group.judge(), in: &current)
            }
            // A name that is not resolved yet has no answer. All its subscribers are notified of the first one.
            if let newcomer = due.newcomer, due.watch.isEvaluated {
                trace.told(of: due.watch)
                current.untold.append((newcomer, due.watch))
            }
        }
    }

    /// Notes the subscribers that have to be notified after an evaluation.
    private func note(_ watch: Watch, isOther: Bool, in current: inout Evaluation) {
        guard watch.isEvaluated else { return }
        if isOther {
            trace.told(of: watch)
            watch.subscribers.forEach { if $0.group == nil { current.untold.append(($0, watch)) } }
        } else if watch.tellsEveryEvaluation, !current.due.causes.isSubset(of: .name) {
            // An evaluation for a new subscriber does not notify the others. Otherwise adding many subscribers would take
            // quadratic time.
            watch.subscribers.forEach { if $0.wantsEveryEvaluation { current.untold.append(($0, watch)) } }
        }
    }

    /// Runs `notify`, and puts the callbacks that it collects on their queues.
    private func deliver(because causes: ChangeKinds, _ notify: (inout DeliveryBatch) -> Void) {
        var batch = DeliveryBatch(because: causes)
        notify(&batch)
        guard batch.count > 0 else { return }
        counters.count { [count = batch.count] in $0.deliveries += count }
        batch.deliver()
        letClientsRun()
    }

    /// The thread that has to run a callback may be waiting for this processor, and this thread has more to do.
    func letClientsRun() {
        if loop.hasThread { Thread.yield() }
    }
}
