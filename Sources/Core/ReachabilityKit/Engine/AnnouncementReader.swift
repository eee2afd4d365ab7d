// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Synchronization

/// The part of an engine that reads the kernel's announcements: it opens the feed, keeps its filter, and replaces it after
/// a failure. Where the kernel announces nothing, or not everything, it looks at everything again at an interval. Confined to
/// the engine's thread.
final class AnnouncementReader {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var feed: AnnouncementSocket?
    private var filter = FilterSchedule()

    init(core: EngineCore, loop: EventLoop) {
        self.core = core
        self.loop = loop
    }

    func begin(with feed: AnnouncementSocket) {
        self.feed = feed
        recheckLater()
        do throws(Errno) {
            try loop.watch(feed.rawDescriptor, for: .readable) { [weak self] _ in self?.read() }
        } catch {
            // Not at once: if memory or epoll watches are exhausted, it would fail again.
            core.counters.count { $0.failures += 1 }
            self.feed = nil
            reopenLater()
        }
    }

    func end() {
        if let feed { loop.unwatch(feed.rawDescriptor) }
        feed = nil
    }

    /// Collects what was announced, and looks at it if it is time.
    func read() {
        guard let feed else { return }
        do throws(Errno) {
            let tally = try feed.drain { core.schedule.changes.add($0) }
            core.counters.count { counts in
                counts.events += tally.events
                counts.foreignMessages += tally.foreignSenders
                counts.overruns += tally.overruns
            }
            if !tally.isComplete { core.schedule.changes.addEverything() }
        } catch {
            reopen()
        }
        core.lookIfDue()
    }

    /// Replaces a feed that cannot be read any more. Announcements may have been lost in between.
    private func reopen() {
        core.counters.count { $0.failures += 1 }
        end()
        guard let opened = try? core.namespace.openFeed() else { return reopenLater() }
        begin(with: opened.value)
        perform(filter.feedWasReplaced())
        core.schedule.changes.addEverything()
        core.lookIfDue()
    }

    private func reopenLater() {
        loop.schedule(at: loop.now().advanced(by: LookSchedule.retryDelay)) { [weak self] in self?.reopen() }
    }

    // MARK: The filter

    /// Whether a filter may be attached.
    var isFiltering: Bool { filter.isRestricted }

    /// Lets the announcements through that concern addresses watched from now on. To be called before they are looked up:
    /// then a change is either in the answer already, or its announcement comes through.
    func watchesWereAdded(total: Int) {
        recheckLater()
        perform(filter.watchesWereAdded(total: total))
    }

    private func perform(_ step: FilterSchedule.Step) {
        do throws(Errno) {
            switch step {
            case .nothing: break
            case .restrict: if try feed?.watch(only: core.watchedAddresses) == false { filter.wasRefused() }
            case .wait: waitForQuiet()
            case .openAndWait:
                waitForQuiet()
                try feed?.watchEverything()
            }
        } catch {
            // The old filter is still attached, and holds back announcements that are wanted now.
            filter.wasRefused()
            reopen()
        }
    }

    /// Has everything looked at again a little later, if the kernel does not announce all changes.
    func recheckLater() {
        guard feed?.hearing != .everything, core.isWatching else { return }
        core.recheck(at: loop.now().advanced(by: ReachabilityRef.recheckInterval))
    }

    private func waitForQuiet() {
        loop.schedule(at: loop.now().advanced(by: FilterSchedule.quietTime)) { [weak self] in
            guard let self else { return }
            perform(filter.quietTimePassed())
        }
    }
}

extension NamespaceContext {
    /// Opens a feed of this namespace's changes, for a thread that need not be in the namespace.
    func openFeed() throws(NetlinkError) -> SentToLoop<AnnouncementSocket> {
        let queueBytes = sharedEngine.feedQueueBytes.load(ordering: .relaxed)
        return try inside { () throws(NetlinkError) in
            do throws(Errno) {
                return SentToLoop(try AnnouncementSocket(queueBytes: queueBytes))
            } catch {
                throw .system(.open, error)
            }
        }
    }
}

/// Decides when the kernel's filter for announcements is built.
///
/// With few watches it is built whenever some were added. With many it is taken away first, and built when none was added
/// for a while, because building it takes time for each watched address. An attached filter knows every watched address.
struct FilterSchedule {
    /// What the caller has to do now.
    enum Step: Hashable {
        case nothing
        /// Build a filter for all watched addresses, and attach it.
        case restrict
        /// Take the filter away, and call `quietTimePassed` after `quietTime`.
        case openAndWait
        /// Call `quietTimePassed` after another `quietTime`.
        case wait
    }

    private enum State {
        /// Every announcement comes through, until a watch is added.
        case open
        /// Every announcement comes through while many watches are being added. The quiet time is running.
        case openWhileGrowing(grew: Bool)
        /// The attached filter knows every watched address.
        case restricted
    }

    /// Up to this many watches, building the filter takes less than a millisecond.
    static let fewWatches = 2_000
    /// How long no watch must have been added before a large filter is built.
    static let quietTime: Duration = .milliseconds(100)

    private let few: Int
    private var state = State.open

    init(few: Int = Self.fewWatches) {
        self.few = few
    }

    var isRestricted: Bool { if case .restricted = state { true } else { false } }

    /// Watches were added.
    mutating func watchesWereAdded(total: Int) -> Step {
        switch state {
        case .openWhileGrowing:
            state = .openWhileGrowing(grew: true)
            return .nothing
        case .open, .restricted:
            state = total <= few ? .restricted : .openWhileGrowing(grew: false)
            return total <= few ? .restrict : .openAndWait
        }
    }

    /// The quiet time has passed.
    mutating func quietTimePassed() -> Step {
        guard case .openWhileGrowing(let grew) = state else { return .nothing }
        state = grew ? .openWhileGrowing(grew: false) : .restricted
        return grew ? .wait : .restrict
    }

    /// The feed was replaced by one without a filter.
    mutating func feedWasReplaced() -> Step {
        if case .restricted = state { .restrict } else { .nothing }
    }

    /// The kernel refused the filter, and none is attached now.
    mutating func wasRefused() {
        if case .restricted = state { state = .open }
    }
}
