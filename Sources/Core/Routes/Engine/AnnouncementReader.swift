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
    /// Whether the kernel holds back announcements. The filter knows every watched address, and maybe some that are watched no more.
    private(set) var isFiltering = false
    /// How many announcements in a row concerned no watched target. Once they are enough for a filter, the count stays until one
    /// is attached.
    private var foreignInRow = 0
    /// So many in a row are the beginning of a burst. The few route changes of most machines are cheaper to read than a filter is
    /// to attach.
    static let foreignBeforeFilter = 8

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
        (feed, isFiltering) = (nil, false)
    }

    /// Collects what was announced, and looks at it if it is time.
    func read() {
        guard let feed else { return }
        do throws(Errno) {
            let tally = try feed.drain(note)
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
        // Attaching takes as long as a look, so those who wait for one come first.
        filterIfUseful()
    }

    /// What concerns no watched target is not noted, so nothing is looked at for it.
    private func note(_ announcement: Announcement) {
        if core.isConcerned(by: announcement) {
            core.schedule.changes.add(announcement)
            if foreignInRow < Self.foreignBeforeFilter { foreignInRow = 0 }
        } else {
            foreignInRow += 1
        }
    }

    /// Replaces a feed that cannot be read any more. Announcements may have been lost in between.
    private func reopen() {
        core.counters.count { $0.failures += 1 }
        end()
        guard let opened = try? core.namespace.openFeed() else { return reopenLater() }
        begin(with: opened.value)
        core.schedule.changes.addEverything()
        core.lookIfDue()
    }

    private func reopenLater() {
        loop.schedule(at: loop.now().advanced(by: LookSchedule.retryDelay)) { [weak self] in self?.reopen() }
    }

    // MARK: The filter

    /// Has the kernel hold back what concerns no watched target. The filter knows every address that is watched now. If it is refused,
    /// nothing is lost: all announcements pass, or those that passed before.
    private func filterIfUseful() {
        guard foreignInRow >= Self.foreignBeforeFilter, let feed,
            let addresses = core.watchedAddresses(atMost: RouteFilter.mostAddresses)
        else { return }
        foreignInRow = 0
        if (try? feed.watch(only: addresses)) != nil { isFiltering = true }
    }

    /// Lets all announcements through. To be called when an address is watched that was not before, and before it is looked up:
    /// then a change is either in the answer already, or its announcement comes through.
    func addressesWereAdded() {
        guard isFiltering else { return }
        (isFiltering, foreignInRow) = (false, 0)
        do throws(Errno) {
            try feed?.watchEverything()
        } catch {
            // The filter is still attached, and holds back announcements that are wanted now. Not at once: the caller may be about
            // to change what is looked at then.
            loop.schedule(at: loop.now()) { [weak self] in self?.reopen() }
        }
    }

    /// Has everything looked at again a little later, if the kernel does not announce all changes.
    func recheckLater() {
        guard feed?.isTold != true, core.isWatching else { return }
        core.recheck(at: loop.now().advanced(by: core.namespace.sharedEngine.recheckInterval.withLock(\.self)))
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
