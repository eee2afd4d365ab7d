// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink

/// Takes part in each look of an engine: a module above judges by several targets together. Confined to the engine's thread.
package protocol LookParticipant: AnyObject {
    /// Called before the targets of a look are chosen.
    func lookWillBegin()
    /// Called after the subscribers to targets were notified. Notifies others.
    func lookDidEnd(_ batch: inout DeliveryBatch)
    /// Nothing is looked at any more.
    func end()
    /// The loop has failed. Nothing is looked at any more.
    func fail(_ error: ReachabilityError)
}

/// The inside of an engine: collects changes, looks up the watched targets they concern, and notifies subscribers of
/// different answers.
package final class EngineCore: @unchecked Sendable {  // confined to the engine's thread
    package let loop: EventLoop
    package let namespace: NamespaceContext
    let kernel: KernelAccess
    let counters: EngineCounters
    package let trace = Trace()

    /// After a change of it, `lookIfDue` has to be called.
    var schedule: LookSchedule
    private var wake: (moment: BootTime, timer: LoopTimer)?
    private(set) var isLooking = false
    private var watches = WatchTable()
    private var newSubscribers: [(subscriber: any WatchSubscriber, watch: WatchedTarget)] = []
    private var requested: [RequestedLook] = []
    private var newWatches = 0
    private(set) lazy var feed = AnnouncementReader(loop, namespace, counters, trace) { [weak self] in self?.hear() }
    /// Who else has to do something at each look; set by a module above, once.
    package var participant: (any LookParticipant)?
    package private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// The `changeCount` of the socket defaults under which every target was last looked up.
    private var seenSocketChanges: UInt64

    /// A look at some watched targets, and what is to be done after it.
    private struct RequestedLook {
        let watches: [WatchedTarget]
        let tell: (inout DeliveryBatch) -> Void
    }

    init(loop: EventLoop, namespace: NamespaceContext, kernel: KernelAccess, counters: EngineCounters) {
        self.loop = loop
        self.namespace = namespace
        self.kernel = kernel
        seenSocketChanges = kernel.socketDefaults.changeCount
        self.counters = counters
        schedule = LookSchedule(repetitions: namespace.sharedEngine.repetitions.withLock(\.self))
    }

    func end() {
        feed.end()
        participant?.end()
        watches = WatchTable()
        (newSubscribers, requested) = ([], [])
    }

    /// The loop has failed. Tells all subscribers that nothing more will come.
    func fail(_ error: ReachabilityError) {
        var subscribers: [any WatchSubscriber] = []
        for watch in watches.all { watch.subscribers.forEach { subscribers.append($0) } }
        let participant = participant.take()
        end()
        for subscriber in subscribers { subscriber.end(because: error) }
        participant?.fail(error)
        paths.fail(error)
    }

    // MARK: Watches

    /// Watches a target. The subscriber is notified soon, and at every change.
    @discardableResult
    package func add(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) -> WatchedTarget {
        let (watch, isNew) = watches.watch(target, keys)
        watch.subscribers.add(subscriber)
        if subscriber.wantsEveryLook { watch.wantsEveryLook = true }
        notifySoon()
        newSubscribers.append((subscriber, watch))
        if isNew {
            newWatches += 1
            feed.addressesWereAdded()
        }
        return watch
    }

    /// Runs `tell` soon, after a look at some watched targets: a change may have been announced since the last one.
    package func lookSoon(at watches: [WatchedTarget], then tell: @escaping (inout DeliveryBatch) -> Void) {
        notifySoon()
        requested.append(RequestedLook(watches: watches, tell: tell))
    }

    /// Has new subscribers notified on the loop. Those that are added together share the batches of lookups.
    private func notifySoon() {
        guard newSubscribers.isEmpty, requested.isEmpty else { return }
        loop.enqueue { [weak self] in self?.notifyNewSubscribers() }
    }

    package func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        guard let watch = watches.existing(target, keys) else { return }
        watch.subscribers.remove(subscriber)
        if watch.subscribers.isEmpty { watches.remove(watch) }
    }

    package func watch(of target: Target, _ keys: RoutingKeys) -> WatchedTarget? { watches.existing(target, keys) }

    var isWatching: Bool { watches.count > 0 || paths.isActive }

    /// The addresses whose routes matter; nil if they are more than `limit`.
    func watchedAddresses(atMost limit: Int) -> [IPAddress]? {
        let ofPath = paths.isActive ? IPAddress.behindDefault : []
        return watches.addresses(atMost: limit - ofPath.count).map { $0 + ofPath }
    }

    /// Whether the answer of a watched target, or the path, may depend on what was announced.
    func isConcerned(by announcement: Announcement) -> Bool {
        guard case .route(let prefix, _) = announcement else { return true }
        return watches.hasAny(in: prefix) || paths.isConcerned(by: prefix)
    }

    /// Looks up the targets of new subscribers, and notifies these. An answer from before they subscribed may be older
    /// than what they have found out themselves, so it is not used. Of very many, the rest come a little later.
    private func notifyNewSubscribers() {
        let slice = self.newSubscribers.prefix(LookUnderWay.sliceLength)
        self.newSubscribers.removeFirst(slice.count)
        if !self.newSubscribers.isEmpty {
            loop.schedule(at: loop.now()) { [weak self] in self?.notifyNewSubscribers() }
        }
        let newSubscribers = slice.filter { !$0.watch.subscribers.isEmpty }
        let requested = requested
        self.requested = []
        let hasNewWatches = newWatches > 0
        newWatches = 0
        if hasNewWatches { recheckLater() }
        let causes = newSubscribers.reduce(into: ChangeKinds()) { $0.formUnion($1.subscriber.cause) }
        let watches = [WatchedTarget](choosing: { choose in
            for new in newSubscribers { choose(new.watch) }
            for look in requested { look.watches.forEach(choose) }
        })
        kernel.refreshSocketDefaults(at: SystemTime().now())
        look(at: watches, because: causes, .kept)
        lookAgain(at: watches.lazy.flatMap(\.target.decidingAddresses))
        deliver(because: causes) { batch in
            for (subscriber, watch) in newSubscribers {
                trace.told(of: watch.target.description, watch.observation)
                watch.notify(subscriber, &batch)
            }
            participant?.lookDidEnd(&batch)
            for look in requested { look.tell(&batch) }
        }
    }

    /// Has the routes to these addresses looked up again a little later, although nothing was announced.
    func lookAgain(at addresses: some Sequence<IPAddress>) {
        var changes = PendingChanges()
        for address in addresses where !changes.everything {
            changes.add(.route(Prefix(address, length: address.family.bitCount)))
        }
        changes.removeCauses()
        // A change may be under way that was announced before.
        changes.mayComeAfterAnnouncement = true
        schedule.lookAgain(at: changes, now: loop.now())
        setWake()
    }

    // MARK: When to look

    /// The kernel could not be asked.
    package func lookFailed() {
        counters.count { $0.failures += 1 }
        schedule.failed(at: loop.now())
        setWake()
    }

    /// The kernel refused to answer about some targets. It would do so again, so nothing is looked at before something changes
    /// or, where not all changes are announced, the next interval is over.
    func lookWasRefused() { counters.count { $0.failures += 1 } }

    // MARK: Announcements

    func begin(with announcements: AnnouncementSocket) {
        feed.begin(with: announcements)
        recheckLater()
    }

    /// Looks at what was announced, if it is time.
    private func hear() {
        feed.read(into: &schedule.changes, isConcerned)
        lookIfDue()
        // Attaching takes as long as a look, so those who wait for one come first.
        feed.filterIfUseful(watchedAddresses)
        recheckLater()
    }

    /// Has everything looked at again a little later, if the kernel does not announce all changes.
    func recheckLater() {
        guard !feed.isToldAll, isWatching else { return }
        recheck(at: loop.now().advanced(by: namespace.sharedEngine.recheckInterval.withLock(\.self)))
    }

    /// Has everything looked at at this moment, announced or not.
    func recheck(at moment: BootTime) {
        schedule.rechecks(at: moment)
        setWake()
    }

    /// Has everything looked at when a route ends.
    func noteExpiry(_ moment: BootTime) {
        schedule.expires(at: moment)
        setWake()
    }

    /// Looks everything up again where new sockets have another mark or interface than before: every answer depends on these.
    /// Finding that out takes longer than a look does, so it is not done at the first look after a change, but when that is
    /// repeated.
    func noticeSocketChanges() {
        kernel.refreshSocketDefaults(at: SystemTime().now())
        let count = kernel.socketDefaults.changeCount
        guard count != seenSocketChanges else { return }
        seenSocketChanges = count
        schedule.changes.addEverything()
        lookIfDue()
    }

    /// Begins the looks that are due, and wakes up for the next one.
    func lookIfDue() {
        // What is found out during a look is due after it.
        while !isLooking, let look = schedule.popDue(at: loop.now()) { begin(look) }
        setWake()
    }

    private func begin(_ look: LookSchedule.Look) {
        isLooking = true
        switch look {
        case .atChanges(let changes):
            goOn(
                LookUnderWay(
                    look, at: concerned(by: changes), because: changes.causes,
                    changes.mayComeAfterAnnouncement ? .lost : .kept))
        case .again(var changes, let stage):
            // What this look finds may just have been announced, and then has that cause.
            feed.read(into: &schedule.changes, isConcerned)
            let causes = changes.causes.union(schedule.changes.causes)
            var proof = LookProof.kept
            if changes.mayComeAfterAnnouncement {
                do throws(NetlinkError) {
                    try kernel.waitForChange()
                    changes.mayComeAfterAnnouncement = false
                    proof = .given
                } catch {
                    proof = .lost
                }
            }
            let targets = concerned(by: changes).filter { !$0.isProved }
            goOn(LookUnderWay(.again(changes, stage: stage), at: targets, because: causes, proof))
        case .atEverything(let everything):
            counters.count { $0.rechecks += 1 }
            goOn(LookUnderWay(look, at: concerned(by: everything), because: everything.causes, .lost))
        case .atExpired:
            goOn(LookUnderWay(look, at: takeExpired(), because: .expiry, .kept))
        }
    }

    /// Looks at the next targets. Timers and descriptors get their turn before the targets after these.
    private func goOn(_ unfinished: LookUnderWay) {
        var current = unfinished
        let (start, isFirst) = (loop.processorTime(), unfinished.isAtStart)
        switch look(at: current.nextTargets(), because: current.causes, current.proof) {
        case .nothingNew: break
        case .change: current.hasFoundChange = true
        // Everything is looked at a little later.
        case .failure: current.endEarly()
        }
        if isFirst, readPath(current.look) { current.hasFoundChange = true }
        current.took += loop.processorTime() - start
        let now = loop.now()
        if current.isAtEnd {
            isLooking = false
            finish(current, at: now)
        } else {
            loop.schedule(at: now) { [weak self, current] in
                self?.goOn(current)
                self?.lookIfDue()
            }
        }
    }

    /// Returns whether there is another path.
    private func readPath(_ look: LookSchedule.Look) -> Bool {
        switch look {
        case .atChanges(let changes), .atEverything(let changes): return paths.read(after: changes)
        case .again(let changes, _): paths.readRoutes(after: changes)
        case .atExpired: paths.readIfExpired()
        }
        return false
    }

    private func finish(_ look: LookUnderWay, at now: BootTime) {
        schedule.looked(look.look, hasFoundChange: look.hasFoundChange, taking: look.took, until: now)
        switch look.look {
        case .atChanges, .again(_, stage: 0): break
        case .again, .atExpired: noticeSocketChanges()
        case .atEverything:
            noticeSocketChanges()
            recheckLater()
        }
    }

    /// The watches whose routes have ended, each once.
    private func takeExpired() -> [WatchedTarget] {
        let now = loop.now()
        var expired: [WatchedTarget] = []
        for watch in watches.all {
            if watch.expiry <= now {
                watch.expiry = .distantFuture
                expired.append(watch)
            } else {
                schedule.expires(at: watch.expiry)
            }
        }
        return expired
    }

    private func setWake() {
        guard !isLooking else { return }
        let next = schedule.next
        guard next != wake?.moment ?? .distantFuture else { return }
        if let wake { loop.cancel(wake.timer) }
        wake = nil
        guard next < .distantFuture else { return }
        let timer = loop.schedule(at: next) { [weak self] in
            self?.wake = nil
            self?.lookIfDue()
        }
        wake = (next, timer)
    }

    // MARK: Looking

    /// The targets whose answers may depend on changes.
    private func concerned(by changes: PendingChanges) -> [WatchedTarget] {
        participant?.lookWillBegin()
        guard !changes.everything else { return watches.all }
        return [WatchedTarget](choosing: { choose in
            for prefix in changes.prefixes { watches.forEach(in: prefix, choose) }
            if changes.lifetimes { watches.forEach(in: .all(.v6), choose) }
        })
    }

    private enum Finding { case nothingNew, change, failure }

    @discardableResult
    private func look(at touched: [WatchedTarget], because causes: ChangeKinds, _ proof: LookProof) -> Finding {
        guard !touched.isEmpty else { return .nothingNew }
        let touched = withCompanions(touched)
        counters.count { counts in
            counts.evaluationPasses += 1
            counts.evaluations += touched.count
        }
        var changed: [WatchedTarget] = []
        var unchanged: [WatchedTarget] = []
        // A look for new subscribers is nothing to the others: if they did something at each, adding many would be quadratic.
        let hasCause = !causes.isSubset(of: .name)
        var (finding, wasRefused) = (Finding.nothingNew, false)
        do throws(NetlinkError) {
            try kernel.forEachLookup(of: touched) { watch, lookup in
                trace.looked(at: watch.target, because: causes, lookup)
                guard lookup.failure == nil else {
                    wasRefused = true
                    if watch.refuse() { changed.append(watch) }
                    return
                }
                let timed = lookup.result
                watch.expiry = timed.lifetime.end(now: loop.now(), known: watch.expiry) ?? .distantFuture
                schedule.expires(at: watch.expiry)
                let isFirst = watch.observation == nil
                // IPv6 routes are announced before lookups find them.
                watch.isProved = proof.holds(after: watch.isProved) && !timed.involvesIPv6
                if watch.update(timed.verdict) {
                    changed.append(watch)
                    // The first answer of a new watch may be from before a change that is still under way.
                    if !isFirst { finding = .change }
                } else if watch.wantsEveryLook, hasCause {
                    unchanged.append(watch)
                }
            }
        } catch {
            lookFailed()
            finding = .failure
        }
        if wasRefused { lookWasRefused() }
        // Also after a failure: the next look sees no difference in what this one has found.
        deliver(because: causes) { batch in
            for watch in changed {
                trace.told(of: watch.target.description, watch.observation)
                watch.notifySubscribers(&batch)
            }
            for watch in unchanged { watch.notifyOfSameAnswer(&batch) }
            participant?.lookDidEnd(&batch)
        }
        return finding
    }

    /// The targets of a look, with those that have to be looked at together with one of them. What is judged by several targets is
    /// judged by one look at all of them, never by old and new answers together.
    private func withCompanions(_ targets: [WatchedTarget]) -> [WatchedTarget] {
        guard participant != nil else { return targets }
        return [WatchedTarget](choosing: { choose in
            targets.forEach(choose)
            for target in targets {
                target.subscribers.forEach { $0.companions.forEach(choose) }
            }
        })
    }

    /// Runs `notify`, and puts the callbacks that it has collected on their queues.
    package func deliver(because causes: ChangeKinds, _ notify: (inout DeliveryBatch) -> Void) {
        var batch = DeliveryBatch(because: causes)
        notify(&batch)
        guard batch.count > 0 else { return }
        counters.count { [count = batch.count] in $0.deliveries += count }
        batch.deliver()
        letClientsRun()
    }

    /// The thread that a callback was put on may wait for this processor, and more is to be done here.
    func letClientsRun() {
        if loop.hasThread { Thread.yield() }
    }
}
