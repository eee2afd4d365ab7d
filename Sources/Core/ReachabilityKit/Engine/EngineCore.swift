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
    private var isLooking = false
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
    /// than what they have found out themselves, so it is not used.
    private func notifyNewSubscribers() {
        let newSubscribers = newSubscribers.filter { !$0.watch.subscribers.isEmpty }
        let joined = joined
        (self.newSubscribers, self.joined) = ([], [])
        let hasNewWatches = newWatches > 0
        newWatches = 0
        if hasNewWatches { feed.recheckLater() }
        // An address that is watched from now on is mostly that of a name.
        causes = newSubscribers.contains { $0.subscriber is AddressObserver } ? .name : ChangeKinds()
        defer { causes = ChangeKinds() }
        var watches: [WatchedTarget] = []
        for new in newSubscribers { watches.choose(new.watch) }
        for new in joined { for watch in new.name.watches { watches.choose(watch) } }
        kernel.refreshSocketDefaults(at: SystemTime().now())
        look(at: watches)
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

    /// Does the looks that are due, and wakes up for the next one.
    func lookIfDue() {
        // What is found out during a look is due after it.
        guard !isLooking else { return }
        isLooking = true
        while let look = schedule.popDue(at: loop.now()) { perform(look) }
        isLooking = false
        setWake()
    }

    private func perform(_ look: LookSchedule.Look) {
        switch look {
        case .atChanges(let changes):
            let start = loop.now()
            let foundChange = self.look(after: changes, because: changes.causes)
            if !paths.look(after: changes), !foundChange, changes.mayComeAfterAnnouncement {
                try? kernel.waitForChange()
                self.look(after: changes, because: changes.causes)
                paths.lookAgain(after: changes)
            }
            schedule.looked(at: changes, from: start, to: loop.now())
        case .again(let changes):
            // What this look finds may just have been announced, and then has that cause.
            feed.read()
            self.look(after: changes, because: changes.causes.union(schedule.changes.causes))
            paths.lookAgain(after: changes)
            noticeSocketChanges()
        case .atEverything(let everything):
            counters.count { $0.rechecks += 1 }
            self.look(after: everything, because: everything.causes)
            paths.look(after: everything)
            noticeSocketChanges()
            feed.recheckLater()
        case .atExpired:
            causes = .expiry
            defer { causes = ChangeKinds() }
            self.look(at: takeExpired())
            paths.lookIfExpired()
            noticeSocketChanges()
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

    /// Returns whether a target has another answer than before.
    @discardableResult
    private func look(after changes: PendingChanges, because causes: ChangeKinds) -> Bool {
        self.causes = causes
        defer { self.causes = ChangeKinds() }
        names.checkFiles()
        guard !changes.everything else { return look(at: watches.all) }
        var touched: [WatchedTarget] = []
        for prefix in changes.prefixes { watches.forEach(in: prefix) { touched.choose($0) } }
        return look(at: touched)
    }

    @discardableResult
    private func look(at touched: [WatchedTarget]) -> Bool {
        guard !touched.isEmpty else { return false }
        let touched = names.completed(touched)
        touched.endChoice()
        counters.count { counts in
            counts.evaluationPasses += 1
            counts.evaluations += touched.count
        }
        var changed: [WatchedTarget] = []
        var unchanged: [WatchedTarget] = []
        var refused: [WatchedTarget] = []
        var (isAnother, wasRefused) = (false, false)
        do throws(NetlinkError) {
            try kernel.look(at: touched) { watch, outcome in
                guard case .success(let timed) = outcome else {
                    wasRefused = true
                    if watch.refuse() { refused.append(watch) }
                    return
                }
                watch.expiry = timed.lifetime.end(now: loop.now(), known: watch.expiry) ?? .distantFuture
                schedule.expires(at: watch.expiry)
                let isFirst = watch.observation == nil
                if watch.update(timed.verdict) {
                    changed.append(watch)
                    // The first answer of a new watch may be from before a change that is still under way.
                    if !isFirst { isAnother = true }
                } else if watch.wantsEveryLook {
                    unchanged.append(watch)
                }
            }
        } catch {
            lookFailed()
        }
        if wasRefused { lookWasRefused() }
        for watch in refused { watch.subscribers.forEach { $0.noteRefusal() } }
        // Also after a failure: the next look sees no difference in what this one has found.
        deliver { batch in
            for watch in changed { watch.notifySubscribers(&batch) }
            for watch in unchanged { watch.notifyOfSameAnswer(&batch) }
            names.notifySubscribers(&batch)
        }
        return isAnother
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
