// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts

/// The engine's inside, which lives on its thread: dirt comes in, is looked at, and whoever sees a difference is told.
final class EngineCore: @unchecked Sendable {  // confined to the loop's thread
    private let loop: EventLoop
    let namespace: NamespaceContext
    let kernel: KernelAccess
    let counters: EngineCounters

    private var feed: ChangeFeed?
    private var filter = FilterSchedule()
    private var watches = WatchTable()
    private var newcomers: [(subscriber: any WatchSubscriber, watch: WatchedTarget)] = []
    private var newWatches = 0
    private var changes = PendingChanges()
    private var coalescer = Coalescer()
    private lazy var delayedRecheck = DelayedRecheck(loop) { [weak self] in
        self?.look(at: $0)
        self?.paths.lookAgain(after: $0)
    }
    private lazy var names = NameWatcher(core: self, loop: loop)
    private(set) lazy var paths = PathWatcher(core: self, loop: loop)
    /// How often new sockets were found to have another mark or interface, when everything was last looked at for it.
    private var seenSocketChanges: UInt64
    private lazy var expiries = ExpiryTimer(loop) { [weak self] in self?.lookAtExpired() }

    /// How long to wait before asking again a kernel that could not be asked.
    private static let retryDelay: Duration = .milliseconds(100)

    init(loop: EventLoop, namespace: NamespaceContext, kernel: KernelAccess, counters: EngineCounters) {
        self.loop = loop
        self.namespace = namespace
        self.kernel = kernel
        seenSocketChanges = kernel.socketDefaults.changeCount
        self.counters = counters
    }

    // MARK: Life

    func begin(with feed: ChangeFeed) {
        self.feed = feed
        do throws(Errno) {
            try loop.watch(feed.rawDescriptor, for: .readable) { [weak self] _ in self?.readFeed() }
        } catch {
            // Not at once: what failed for want of memory or watches would fail again.
            counters.count { $0.failures += 1 }
            self.feed = nil
            loop.schedule(at: loop.now().advanced(by: Self.retryDelay)) { [weak self] in self?.reopenFeed() }
        }
    }

    func end() {
        kernel.routingGeneration.idleCheck.fast.leave(loop)
        if let feed { loop.unwatch(feed.rawDescriptor) }
        feed = nil
        watches = WatchTable()
        newcomers = []
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

    /// Has a path looked at for somebody, soon and at every change.
    func attach(_ subscriber: any WatchSubscriber, to target: Target, _ keys: RoutingKeys) -> WatchedTarget {
        let (watch, isNew) = watches.watch(target, keys)
        watch.add(subscriber)
        if newcomers.isEmpty {
            // Everybody enqueued together is taken in together: one filter, and lookups in batches.
            loop.enqueue { [weak self] in self?.takeInNewcomers() }
        }
        newcomers.append((subscriber, watch))
        if isNew { newWatches += 1 }
        return watch
    }

    func detach(_ subscriber: any WatchSubscriber, from target: Target, _ keys: RoutingKeys) {
        guard let watch = watches.existing(target, keys) else { return }
        watch.remove(subscriber)
        if watch.isUnused { watches.remove(watch) }
    }

    func watch(of target: Target, _ keys: RoutingKeys) -> WatchedTarget? { watches.existing(target, keys) }

    /// A newcomer is told what was found after it came, never what was known before: that may be older than what the
    /// newcomer has found out for itself.
    private func takeInNewcomers() {
        let newcomers = newcomers.filter { !$0.watch.isUnused }
        self.newcomers = []
        // First the filter, then the lookups: a change is either in the answer already, or comes through.
        if newWatches > 0 { perform(filter.watchesWereAdded(total: watches.count)) }
        newWatches = 0
        var seen: Set<ObjectIdentifier> = []
        let watches = newcomers.map(\.watch).filter { seen.insert(ObjectIdentifier($0)).inserted }
        look(at: watches)
        var looked = PendingChanges()
        for address in watches.lazy.flatMap(\.decidingAddresses) where !looked.everything {
            looked.add(.route(Prefix(address, length: address.family.bitCount)))
        }
        delayedRecheck.looked(at: looked)
        tell { round in
            for (subscriber, watch) in newcomers { watch.tell(subscriber, &round) }
            names.finishRound(&round)
        }
    }

    private func perform(_ step: FilterSchedule.Step) {
        do throws(Errno) {
            switch step {
            case .nothing: break
            case .restrict: if try feed?.watch(only: watches.addresses) == false { filter.wasRefused() }
            case .wait: waitForQuiet()
            case .openAndWait:
                waitForQuiet()
                try feed?.watchEverything()
            }
        } catch {
            // The filter before is still there, and keeps back what is watched now.
            filter.wasRefused()
            reopenFeed()
        }
    }

    private func waitForQuiet() {
        loop.schedule(at: loop.now().advanced(by: FilterSchedule.quietTime)) { [weak self] in
            guard let self else { return }
            perform(filter.quietTimePassed())
        }
    }

    // MARK: Changes

    private func readFeed() {
        guard let feed else { return }
        do throws(Errno) {
            let tally = try feed.drain { changes.add($0) }
            counters.count { counts in
                counts.events += tally.events
                counts.foreignSenders += tally.foreignSenders
                counts.overruns += tally.overruns
            }
            if !tally.isComplete { changes.addEverything() }
        } catch {
            reopenFeed()
        }
        changesArrived()
    }

    /// A feed that cannot be read any more is replaced: a monitor must not go deaf without a word.
    private func reopenFeed() {
        counters.count { $0.failures += 1 }
        if let feed { loop.unwatch(feed.rawDescriptor) }
        feed = nil
        if let opened = try? namespace.openFeed() {
            begin(with: opened.value)
            perform(filter.feedWasReplaced())
            changes.addEverything()
            changesArrived()
        } else {
            loop.schedule(at: loop.now().advanced(by: Self.retryDelay)) { [weak self] in self?.reopenFeed() }
        }
    }

    private func changesArrived() {
        guard !changes.isEmpty else { return }
        switch coalescer.changesArrived(at: loop.now()) {
        case .lookNow: lookAtChanges()
        case .lookAt(let moment):
            loop.schedule(at: moment) { [weak self] in
                self?.coalescer.momentCame()
                self?.lookAtChanges()
            }
        case .nothing: break
        }
    }

    private func lookAtChanges() {
        let changes = changes.take()
        guard !changes.isEmpty else { return }
        let start = loop.now()
        look(at: changes)
        paths.look(after: changes)
        coalescer.looked(from: start, to: loop.now())
        delayedRecheck.looked(at: changes)
    }

    /// The one change the kernel does not announce when it happens.
    private func lookAtExpired() {
        look(at: expiries.takeEnded(of: watches.all))
    }

    // MARK: Looking

    private func look(at changes: PendingChanges) {
        names.lookAtFiles()
        if changes.everything {
            look(at: Array(watches.all))
        } else {
            var seen: Set<ObjectIdentifier> = []
            var touched: [WatchedTarget] = []
            for prefix in changes.prefixes {
                watches.forEach(in: prefix) { watch in
                    if seen.insert(ObjectIdentifier(watch)).inserted { touched.append(watch) }
                }
            }
            look(at: touched)
        }
    }

    /// Asking may show that new sockets have another mark or interface than before, which changes every answer.
    private func noticeSocketChanges() {
        let count = kernel.socketDefaults.changeCount
        guard count != seenSocketChanges else { return }
        seenSocketChanges = count
        changes.addEverything()
        changesArrived()
    }

    /// Has `body` tell subscribers, and has the callbacks made that come of it.
    func tell(_ body: (inout DeliveryBatch) -> Void) {
        var round = DeliveryBatch()
        body(&round)
        guard round.count > 0 else { return }
        counters.count { [count = round.count] in $0.deliveries += count }
        round.deliver()
    }

    private func look(at touched: [WatchedTarget]) {
        guard !touched.isEmpty else { return }
        counters.count { counts in
            counts.looks += 1
            counts.evaluations += touched.count
        }
        var changed: [WatchedTarget] = []
        // What was found before a failure is told all the same: the next look would see no difference any more.
        defer {
            tell { round in
                for watch in changed { watch.tellSubscribers(&round) }
                names.finishRound(&round)
            }
        }
        do throws(NetlinkError) {
            try kernel.look(at: touched) { watch, timed in
                expiries.note(timed, for: watch)
                if watch.update(timed.verdict) { changed.append(watch) }
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
}
