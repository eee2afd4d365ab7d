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

    /// Changes that have not been looked at yet.
    var changes = PendingChanges()
    private var watches = WatchTable()
    private var newSubscribers: [(subscriber: any WatchSubscriber, watch: WatchedTarget)] = []
    private var newWatches = 0
    private var coalescer = Coalescer()
    private lazy var delayedRecheck = DelayedRecheck(loop) { [weak self] in self?.recheck(after: $0) }
    private(set) lazy var feed = AnnouncementReader(core: self, loop: loop)
    private lazy var names = NameWatcher(core: self, loop: loop)
    private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// The `changeCount` of the socket defaults under which every target was last looked up.
    private var seenSocketChanges: UInt64
    /// What the present look is for.
    private(set) var causes: ChangeKinds = []
    private lazy var expiries = ExpiryTimer(loop) { [weak self] in self?.lookAtExpired() }

    /// The time between attempts where the kernel cannot be asked.
    static let retryDelay: Duration = .milliseconds(100)

    init(loop: EventLoop, namespace: NamespaceContext, kernel: KernelAccess, counters: EngineCounters) {
        self.loop = loop
        self.namespace = namespace
        self.kernel = kernel
        seenSocketChanges = kernel.socketDefaults.changeCount
        self.counters = counters
    }

    func end() {
        feed.end()
        watches = WatchTable()
        newSubscribers = []
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
        if newSubscribers.isEmpty {
            // Subscribers that are enqueued together share one filter and the batches of lookups.
            loop.enqueue { [weak self] in self?.notifyNewSubscribers() }
        }
        newSubscribers.append((subscriber, watch))
        if isNew { newWatches += 1 }
        return watch
    }

    func detach(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        guard let watch = watches.existing(target, keys) else { return }
        watch.subscribers.remove(subscriber)
        if watch.subscribers.isEmpty { watches.remove(watch) }
    }

    func watch(of target: Target, _ keys: RoutingKeys) -> WatchedTarget? { watches.existing(target, keys) }

    /// The addresses whose routes matter.
    var watchedAddresses: [IPAddress] { watches.addresses + (paths.isActive ? TargetLookup.behindDefault : []) }

    /// Updates the filter after addresses were added to `watchedAddresses`.
    func updateFilter() {
        feed.watchesWereAdded(total: watches.count)
    }

    /// Looks up the targets of new subscribers, and notifies these. An answer from before they subscribed may be older
    /// than what they have found out themselves, so it is not used.
    private func notifyNewSubscribers() {
        let newSubscribers = newSubscribers.filter { !$0.watch.subscribers.isEmpty }
        self.newSubscribers = []
        if newWatches > 0 { updateFilter() }
        newWatches = 0
        var seen: Set<ObjectIdentifier> = []
        // An address that is watched from now on is mostly that of a name.
        causes = newSubscribers.contains { $0.subscriber is AddressObserver } ? .name : []
        defer { causes = [] }
        let watches = newSubscribers.map(\.watch).filter { seen.insert(ObjectIdentifier($0)).inserted }
        look(at: watches)
        recheck(watches.lazy.flatMap(\.decidingAddresses))
        deliver { batch in
            for (subscriber, watch) in newSubscribers { watch.notify(subscriber, &batch) }
            names.notifySubscribers(&batch)
        }
    }

    /// Schedules another look at the routes to these addresses.
    func recheck(_ addresses: some Sequence<IPAddress>) {
        var changes = PendingChanges()
        for address in addresses where !changes.everything {
            changes.add(.route(Prefix(address, length: address.family.bitCount)))
        }
        changes.removeCauses()
        delayedRecheck.schedule(changes)
    }

    // MARK: Changes

    /// Looks at `changes`, now or when the coalescer says so.
    func changesArrived() {
        guard !changes.isEmpty else { return }
        switch coalescer.changesArrived(at: loop.now()) {
        case .lookNow: lookAtChanges()
        case .lookAt(let moment):
            loop.schedule(at: moment) { [weak self] in
                self?.coalescer.timerFired()
                self?.lookAtChanges()
            }
        case .nothing: break
        }
    }

    private func lookAtChanges() {
        let changes = changes.removeAll()
        guard !changes.isEmpty else { return }
        let start = loop.now()
        look(after: changes, because: changes.causes)
        paths.look(after: changes)
        let end = loop.now()
        coalescer.lookEnded(from: start, to: end)
        delayedRecheck.schedule(changes, after: end.duration(since: start))
    }

    /// The end of a route's lifetime, which the kernel does not announce when it happens.
    private func lookAtExpired() {
        causes = .expiry
        defer { causes = [] }
        look(at: expiries.popExpired(of: watches.all))
    }

    /// Looks everything up again where new sockets have another mark or interface than before: every answer depends on
    /// these. To be called after the kernel was asked, which is when that is found out.
    func noticeSocketChanges() {
        let count = kernel.socketDefaults.changeCount
        guard count != seenSocketChanges else { return }
        seenSocketChanges = count
        changes.addEverything()
        changesArrived()
    }

    // MARK: Looking

    /// Looks again at changes of a moment ago.
    private func recheck(after changes: PendingChanges) {
        // What this look finds may just have been announced, and then has that cause.
        feed.read()
        look(after: changes, because: changes.causes.union(self.changes.causes))
        paths.recheck(after: changes)
    }

    private func look(after changes: PendingChanges, because causes: ChangeKinds) {
        self.causes = causes
        defer { self.causes = [] }
        names.checkFiles()
        guard !changes.everything else { return look(at: Array(watches.all)) }
        var seen: Set<ObjectIdentifier> = []
        var touched: [WatchedTarget] = []
        for prefix in changes.prefixes {
            watches.forEach(in: prefix) { watch in
                if seen.insert(ObjectIdentifier(watch)).inserted { touched.append(watch) }
            }
        }
        look(at: touched)
    }

    private func look(at touched: [WatchedTarget]) {
        guard !touched.isEmpty else { return }
        let touched = names.completed(touched)
        counters.count { counts in
            counts.evaluationPasses += 1
            counts.evaluations += touched.count
        }
        var changed: [WatchedTarget] = []
        var unchanged: [WatchedTarget] = []
        // Also after a failure: the next look sees no difference in what this one has found.
        defer {
            deliver { batch in
                for watch in changed { watch.notifySubscribers(&batch) }
                for watch in unchanged { watch.notifyOfSameAnswer(&batch) }
                names.notifySubscribers(&batch)
            }
        }
        do throws(NetlinkError) {
            try kernel.look(at: touched) { watch, timed in
                expiries.note(timed, for: watch)
                if watch.update(timed.verdict) {
                    changed.append(watch)
                } else if watch.wantsEveryLook {
                    unchanged.append(watch)
                }
            }
            noticeSocketChanges()
        } catch {
            counters.count { $0.failures += 1 }
            loop.schedule(at: loop.now().advanced(by: Self.retryDelay)) { [weak self] in
                self?.changes.addEverything()
                self?.changesArrived()
            }
        }
    }

    /// Runs `notify`, during which the causes are these.
    func deliver(because causes: ChangeKinds, _ notify: (inout DeliveryBatch) -> Void) {
        self.causes = causes
        defer { self.causes = [] }
        deliver(notify)
    }

    /// Runs `notify`, and puts the callbacks that it has collected on their queues.
    func deliver(_ notify: (inout DeliveryBatch) -> Void) {
        var batch = DeliveryBatch()
        notify(&batch)
        guard batch.count > 0 else { return }
        counters.count { [count = batch.count] in $0.deliveries += count }
        batch.deliver()
    }
}
