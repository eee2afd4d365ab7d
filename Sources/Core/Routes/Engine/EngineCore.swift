// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Takes part in each look of an engine: a module above judges by several targets together. Confined to the engine's thread.
package protocol LookParticipant: AnyObject {
    /// Called before the targets of a look at these changes are chosen.
    func lookWillBegin(at changes: PendingChanges)
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
    private var newSubscribers: [WatchedTarget.Notice] = []
    private var requested: [RequestedLook] = []
    private var hasNewWatches = false
    private(set) lazy var feed = AnnouncementReader(loop, namespace, counters, trace) { [weak self] in self?.hear() }
    /// Who else has to do something at each look; set by a module above, once.
    package var participant: (any LookParticipant)?
    package private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// The `changeCount` of the socket defaults under which every target was last looked up.
    private var seenSocketChanges: UInt64

    /// A look at some watched targets, and what is to be done after it.
    private struct RequestedLook {
        let watches: [WatchedTarget]
        let isWanted: () -> Bool
        let tell: (inout DeliveryBatch) -> Void
    }

    init(loop: EventLoop, namespace: NamespaceContext, kernel: KernelAccess, counters: EngineCounters) {
        (self.loop, self.namespace, self.kernel, self.counters) = (loop, namespace, kernel, counters)
        seenSocketChanges = kernel.socketDefaults.changeCount
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
            hasNewWatches = true
            feed.addressesWereAdded()
        }
        return watch
    }

    /// Runs `tell` soon, after a look at some watched targets: a change may have been announced since the last one.
    package func lookSoon(
        at watches: [WatchedTarget], if isWanted: @escaping () -> Bool,
        then tell: @escaping (inout DeliveryBatch) -> Void
    ) {
        notifySoon()
        requested.append(RequestedLook(watches: watches, isWanted: isWanted, tell: tell))
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

    /// Looks up the targets of new subscribers, and notifies these. An answer from before they subscribed may be older than what
    /// they have found out themselves, so it is not used, and where there is no other they wait. Of very many, the rest come a
    /// little later.
    private func notifyNewSubscribers() {
        let count = min(newSubscribers.count, LookUnderWay.sliceLength)
        let subscriptions = newSubscribers.prefix(count).filter { $0.watch.subscribers.contains($0.subscriber) }
        let looks = requested.prefix(LookUnderWay.sliceLength)
        if hasNewWatches { recheckLater() }
        hasNewWatches = false
        let causes = subscriptions.reduce(into: ChangeKinds()) { $0.formUnion($1.subscriber.cause) }
        let watches = [WatchedTarget](choosing: { choose in
            for new in subscriptions { choose(new.watch) }
            for look in looks { look.watches.forEach(choose) }
        })
        kernel.refreshSocketDefaults(at: SystemTime().now())
        let (finding, news) = look(at: watches, because: causes, .kept)
        guard finding != .failure else {
            tell(news, because: causes)
            newSubscribers.removeAll { !$0.watch.subscribers.contains($0.subscriber) }
            requested.removeAll { !$0.isWanted() }
            return notifyOthers(after: LookSchedule.retryDelay)
        }
        newSubscribers.removeFirst(count)
        requested.removeFirst(looks.count)
        notifyOthers(after: .zero)
        lookAgain(at: watches.lazy.flatMap(\.target.decidingAddresses))
        for new in subscriptions { trace.told(of: new.watch.target.description, new.watch.observation) }
        tell(news + subscriptions, because: causes, looks)
    }

    private func notifyOthers(after delay: Duration) {
        guard !(newSubscribers.isEmpty && requested.isEmpty) else { return }
        loop.schedule(at: loop.now().advanced(by: delay)) { [weak self] in self?.notifyNewSubscribers() }
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
        // To find out what is concerned counts, too: among very many targets it takes a while.
        let start = loop.processorTime()
        goOn(underWay(look), since: start)
    }

    private func underWay(_ look: LookSchedule.Look) -> LookUnderWay {
        switch look {
        case .atChanges(let changes):
            let proof = changes.mayComeAfterAnnouncement ? LookProof.lost : .kept
            return LookUnderWay(look: look, causes: changes.causes, proof: proof, targets: concerned(by: changes))
        case .again(var changes, let stage):
            var proof = LookProof.kept
            if changes.mayComeAfterAnnouncement {
                do throws(NetlinkError) {
                    try kernel.waitForChange()
                    changes.mayComeAfterAnnouncement = false
                    proof = .given
                } catch {
                    proof = .lost
                    if !error.isRefusal { lookFailed() }
                }
            }
            // What this look finds may just have been announced, and then has that cause.
            feed.read(into: &schedule.changes, isConcerned)
            let causes = changes.causes.union(schedule.changes.causes)
            let targets = concerned(by: changes).filter { !$0.isProved }
            return LookUnderWay(look: .again(changes, stage: stage), causes: causes, proof: proof, targets: targets)
        case .atEverything(let everything):
            counters.count { $0.rechecks += 1 }
            let targets = concerned(by: everything)
            return LookUnderWay(look: look, causes: everything.causes, proof: .lost, targets: targets)
        case .atExpired:
            return LookUnderWay(look: look, causes: .expiry, proof: .kept, targets: takeExpired())
        }
    }

    /// Looks at the next targets. Timers and descriptors get their turn before the targets after these.
    private func goOn(_ unfinished: LookUnderWay, since start: Duration) {
        var current = unfinished
        let isFirst = unfinished.isAtStart
        if current.untold.isEmpty {
            let (finding, news) = look(at: current.nextTargets(), because: current.causes, current.proof)
            current.untold = news[...]
            switch finding {
            case .nothingNew: break
            case .change: current.hasFoundChange = true
            // Everything is looked at a little later.
            case .failure: current.endEarly()
            }
        }
        tell(current.nextUntold(), because: current.causes)
        if isFirst, readPath(current.look) { current.hasFoundChange = true }
        current.took += loop.processorTime() - start
        let now = loop.now()
        if current.isAtEnd {
            isLooking = false
            finish(current, at: now)
        } else {
            loop.schedule(at: now) { [weak self, current] in
                guard let self else { return }
                goOn(current, since: loop.processorTime())
                lookIfDue()
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
        participant?.lookWillBegin(at: changes)
        guard !changes.everything else { return watches.all }
        return [WatchedTarget](choosing: { choose in
            for prefix in changes.prefixes { watches.forEach(in: prefix, choose) }
            if changes.lifetimes { watches.forEach(in: .all(.v6), choose) }
        })
    }

    private enum Finding { case nothingNew, change, failure }

    /// Looks up some targets.
    ///
    /// - Returns: what was found, and the subscribers to tell. They are told after a failure, too, as the next look finds the same
    ///   answers and would tell nobody. Subscribers of a target that was never looked up are not among them: these are new, and
    ///   are told by `notifyNewSubscribers`.
    private func look(
        at touched: [WatchedTarget], because causes: ChangeKinds, _ proof: LookProof
    ) -> (Finding, news: [WatchedTarget.Notice]) {
        guard !touched.isEmpty else { return (.nothingNew, []) }
        let touched = withCompanions(touched)
        counters.count { counts in
            counts.evaluationPasses += 1
            counts.evaluations += touched.count
        }
        var news: [WatchedTarget.Notice] = []
        func add(_ watch: WatchedTarget, unless areNew: Bool) {
            guard !areNew else { return }
            trace.told(of: watch.target.description, watch.observation)
            watch.subscribers.forEach { news.append(($0, watch)) }
        }
        // A look for new subscribers is nothing to the others: if they did something at each, adding many would be quadratic.
        let hasCause = !causes.isSubset(of: .name)
        var (finding, wasRefused) = (Finding.nothingNew, false)
        do throws(NetlinkError) {
            try kernel.forEachLookup(of: touched) { watch, lookup in
                trace.looked(at: watch.target, because: causes, lookup)
                let areSubscribersNew = !watch.isLookedUp
                guard lookup.failure == nil else {
                    wasRefused = true
                    if watch.refuse() { add(watch, unless: areSubscribersNew) }
                    return
                }
                let timed = lookup.result
                watch.expiry = timed.lifetime.end(now: loop.now(), known: watch.expiry) ?? .distantFuture
                schedule.expires(at: watch.expiry)
                let isFirst = watch.observation == nil
                // IPv6 routes are announced before lookups find them.
                watch.isProved = proof.holds(after: watch.isProved) && !timed.involvesIPv6
                if watch.update(timed.verdict) {
                    add(watch, unless: areSubscribersNew)
                    // The first answer of a new watch may be from before a change that is still under way.
                    if !isFirst { finding = .change }
                } else if watch.wantsEveryLook, hasCause {
                    watch.subscribers.forEach { if $0.wantsEveryLook { news.append(($0, watch)) } }
                }
            }
        } catch {
            lookFailed()
            finding = .failure
        }
        if wasRefused { lookWasRefused() }
        return (finding, news)
    }

    private func tell(
        _ news: some Sequence<WatchedTarget.Notice>, because causes: ChangeKinds,
        _ looks: ArraySlice<RequestedLook> = []
    ) {
        deliver(because: causes) { batch in
            for (subscriber, watch) in news where watch.subscribers.contains(subscriber) {
                watch.notify(subscriber, &batch)
            }
            participant?.lookDidEnd(&batch)
            for look in looks where look.isWanted() { look.tell(&batch) }
        }
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
