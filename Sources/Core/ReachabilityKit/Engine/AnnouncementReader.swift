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
