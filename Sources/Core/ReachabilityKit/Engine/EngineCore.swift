// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// The inside of an engine: collects changes, looks up the watched targets they concern, and notifies subscribers of
/// different answers.
final class EngineCore: @unchecked Sendable {  // confined to the engine's thread
    private let loop: EventLoop
    let namespace: NamespaceContext
    let kernel: KernelAccess
    let counters: EngineCounters

    /// After a change of it, `lookIfDue` has to be called.
    var schedule: LookSchedule
    private var wake: (moment: BootTime, timer: LoopTimer)?
    private(set) var isLooking = false
    private var watches = WatchTable()
    private var newSubscribers: [(subscriber: any WatchSubscriber, watch: WatchedTarget)] = []
    /// New subscribers of names that are watched already.
    private var joined: [(subscriber: any WatchSubscriber, name: WatchedName)] = []
    private var newWatches = 0
    private(set) lazy var feed = AnnouncementReader(core: self, loop: loop)
    private lazy var names = NameWatcher(core: self, loop: loop)
    private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// The `changeCount` of the socket defaults under which every target was last looked up.
    private var seenSocketChanges: UInt64
    /// What the present look is for.
    private(set) var causes = ChangeKinds()

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
        names.end()
        watches = WatchTable()
        (newSubscribers, joined) = ([], [])
    }

    /// The loop has failed. Tells all subscribers that nothing more will come.
    func fail(_ error: ReachabilityError) {
        var subscribers: [any WatchSubscriber] = []
        for watch in watches.all { watch.subscribers.forEach { subscribers.append($0) } }
        names.forEachSubscriber { subscribers.append($0) }
        end()
        for subscriber in subscribers { subscriber.end(because: error) }
        paths.fail(error)
    }

    // MARK: Watches

    func add(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) {
        if case .name(let host) = target {
            names.add(subscriber, to: host, keys)
        } else {
            _ = attach(subscriber, to: target, keys)
        }
    }

    func remove(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        if case .name(let host) = target {
            names.remove(subscriber, from: host, keys)
        } else {
            detach(subscriber, from: target, keys)
        }
    }

    /// Watches a target that is not a name. The subscriber is notified soon, and at every change.
    func attach(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) -> WatchedTarget {
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

    /// Notifies a new subscriber of a watched name soon, after a look. The last answer may be out of date: a change may have been
    /// announced since.
    func join(_ name: WatchedName, _ subscriber: any WatchSubscriber) {
        notifySoon()
        joined.append((subscriber, name))
    }

    /// Has new subscribers notified on the loop. Those that are added together share the batches of lookups.
    private func notifySoon() {
        guard newSubscribers.isEmpty, joined.isEmpty else { return }
        loop.enqueue { [weak self] in self?.notifyNewSubscribers() }
    }

    func detach(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        guard let watch = watches.existing(target, keys) else { return }
        watch.subscribers.remove(subscriber)
        if watch.subscribers.isEmpty { watches.remove(watch) }
    }

    func watch(of target: Target, _ keys: RoutingKeys) -> WatchedTarget? { watches.existing(target, keys) }

    var isWatching: Bool { watches.count > 0 || paths.isActive }

    /// The addresses whose routes matter; nil if they are more than `limit`.
    func watchedAddresses(atMost limit: Int) -> [IPAddress]? {
        let ofPath = paths.isActive ? TargetLookup.behindDefault : []
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
        let joined = joined
        self.joined = []
        let hasNewWatches = newWatches > 0
        newWatches = 0
        if hasNewWatches { feed.recheckLater() }
        // An address that is watched from now on is mostly that of a name.
        causes = newSubscribers.contains { $0.subscriber is AddressObserver } ? .name : ChangeKinds()
        defer { causes = ChangeKinds() }
        let watches = [WatchedTarget](choosing: { choose in
            for new in newSubscribers { choose(new.watch) }
            for new in joined { new.name.watches.forEach(choose) }
        })
        kernel.refreshSocketDefaults(at: SystemTime().now())
        look(at: watches, .kept)
        lookAgain(at: watches.lazy.flatMap(\.target.decidingAddresses))
        deliver { batch in
            for (subscriber, watch) in newSubscribers { watch.notify(subscriber, &batch) }
            names.notifySubscribers(&batch)
            for (subscriber, name) in joined { name.notify(subscriber, &batch) }
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
    func lookFailed() {
        counters.count { $0.failures += 1 }
        schedule.failed(at: loop.now())
        setWake()
    }

    /// The kernel refused to answer about some targets. It would do so again, so nothing is looked at before something changes
    /// or, where not all changes are announced, the next interval is over.
    func lookWasRefused() {
        counters.count { $0.failures += 1 }
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
            feed.read()
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
        causes = current.causes
        switch look(at: current.nextTargets(), current.proof) {
        case .nothingNew: break
        case .change: current.hasFoundChange = true
        // Everything is looked at a little later.
        case .failure: current.endEarly()
        }
        causes = ChangeKinds()
        if isFirst, lookAtPath(current.look) { current.hasFoundChange = true }
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
    private func lookAtPath(_ look: LookSchedule.Look) -> Bool {
        switch look {
        case .atChanges(let changes), .atEverything(let changes): return paths.look(after: changes)
        case .again(let changes, _): paths.lookAgain(after: changes)
        case .atExpired: paths.lookIfExpired()
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
            feed.recheckLater()
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
        names.checkFiles()
        guard !changes.everything else { return watches.all }
        return [WatchedTarget](choosing: { choose in
            for prefix in changes.prefixes { watches.forEach(in: prefix, choose) }
            if changes.lifetimes { watches.forEach(in: .all(.v6), choose) }
        })
    }

    private enum Finding { case nothingNew, change, failure }

    @discardableResult
    private func look(at touched: [WatchedTarget], _ proof: LookProof) -> Finding {
        guard !touched.isEmpty else { return .nothingNew }
        let touched = names.completed(touched)
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
            try kernel.look(at: touched) { watch, outcome in
                guard case .success(let timed) = outcome else {
                    wasRefused = true
                    if watch.refuse() { changed.append(watch) }
                    return
                }
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
        deliver { batch in
            for watch in changed { watch.notifySubscribers(&batch) }
            for watch in unchanged { watch.notifyOfSameAnswer(&batch) }
            names.notifySubscribers(&batch)
        }
        return finding
    }

    /// Runs `notify`, during which the causes are these.
    func deliver(because causes: ChangeKinds, _ notify: (inout DeliveryBatch) -> Void) {
        self.causes = causes
        defer { self.causes = ChangeKinds() }
        deliver(notify)
    }

    /// Runs `notify`, and puts the callbacks that it has collected on their queues.
    func deliver(_ notify: (inout DeliveryBatch) -> Void) {
        var batch = DeliveryBatch()
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
