// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization

/// Reads the kernel's announcements: opens the socket for them, keeps its filter up to date, and replaces the socket after a
/// failure. The owner says which addresses are watched. Confined to the engine's thread.
final class AnnouncementReader {
    private let loop: EventLoop
    private let namespace: NamespaceContext
    private let counters: EngineCounters
    private let trace: Trace
    /// Called when there is something to read.
    private let wake: () -> Void
    private var socket: AnnouncementSocket?
    /// The delay after which a refused socket is tried again. It grows until an announcement is read.
    private var pause = Pace.retryDelay
    /// Whether announcements may have been lost.
    private var hasLost = false
    /// Whether the last reading may have left announcements in the queue (`AnnouncementSocket.largestPart`).
    private(set) var hasUnread = false
    /// Whether the kernel filters announcements. The filter lets through every watched address, and perhaps some that are no
    /// longer watched.
    private(set) var isFiltering = false
    /// How many announcements in a row concerned no watched target. Once there are enough for a filter, the count stays until one
    /// is attached.
    private var unneededInRow = 0
    /// This many in a row are the beginning of a burst. On most machines routes change seldom, and reading the few announcements
    /// is cheaper than attaching a filter.
    static let unneededBeforeFilter = 8

    init(
        _ loop: EventLoop, _ namespace: NamespaceContext, _ counters: EngineCounters, _ trace: Trace,
        wake: @escaping () -> Void
    ) {
        (self.loop, self.namespace, self.counters, self.trace, self.wake) = (loop, namespace, counters, trace, wake)
    }

    /// Whether the kernel announces all changes.
    var isToldAll: Bool { socket?.isTold == true }

    func begin(with socket: AnnouncementSocket) {
        self.socket = socket
        do throws(Errno) {
            try loop.watch(socket.rawDescriptor, for: .readable) { [weak self] _ in self?.wake() }
            pause = Pace.retryDelay
        } catch {
            // Not at once: if memory or epoll watches are exhausted, it would fail again.
            counters.count { $0.failures += 1 }
            self.socket = nil
            reopenLater()
        }
    }

    func end() {
        if let socket { loop.unwatch(socket.rawDescriptor) }
        (socket, isFiltering, hasUnread) = (nil, false, false)
    }

    /// Adds the changes that were announced since the last call.
    ///
    /// - Parameter isOfUse: whether anything that is watched may depend on an announcement. Announcements that nothing depends on
    ///   are left out, so that they cause no evaluation.
    func read(into changes: inout PendingChanges, _ isOfUse: (Announcement) -> Bool) {
        if let socket {
            do throws(Errno) {
                let tally = try socket.drain { announcement in
                    let isOfUse = isOfUse(announcement)
                    trace.announced(announcement, isOfUse: isOfUse)
                    if isOfUse {
                        changes.add(announcement)
                        if unneededInRow < Self.unneededBeforeFilter { unneededInRow = 0 }
                    } else {
                        unneededInRow += 1
                    }
                }
                counters.count { counts in
                    counts.events += tally.events
                    counts.foreignMessages += tally.foreignSenders
                    counts.overruns += tally.overruns
                }
                if !tally.isComplete { hasLost = true }
                hasUnread = !tally.isAtEnd
            } catch {
                replace()
            }
        }
        guard hasLost else { return }
        trace.note("announcements were lost")
        changes.addEverything()
        hasLost = false
    }

    /// Replaces a socket that cannot be read any more.
    private func replace() {
        counters.count { $0.failures += 1 }
        end()
        guard let opened = try? namespace.openAnnouncements() else { return reopenLater() }
        begin(with: opened.value)
        hasLost = true
    }

    private func replaceAndWake() {
        replace()
        if hasLost { wake() }
    }

    private func reopenLater() {
        loop.schedule(at: loop.now().advanced(by: pause)) { [weak self] in self?.replaceAndWake() }
        // Until then, everything is evaluated again at this interval.
        pause = min(pause * 2, namespace.sharedEngine.recheckInterval.withLock(\.self))
    }

    // MARK: The filter

    /// Makes the kernel filter out announcements that concern no watched target. The filter knows every address that is watched
    /// now. If the kernel refuses it, nothing is lost: all announcements pass, or the same ones as before.
    ///
    /// - Parameter watched: returns the watched addresses; nil if there are more than the limit.
    func filterIfUseful(_ watched: (_ limit: Int) -> [IPAddress]?) {
        guard unneededInRow >= Self.unneededBeforeFilter, let socket, let addresses = watched(RouteFilter.mostAddresses)
        else { return }
        unneededInRow = 0
        if (try? socket.watch(only: addresses)) != nil { isFiltering = true }
    }

    /// Lets all announcements through. Called when a new address is watched, and before it is looked up: a change is then either
    /// in the answer already, or its announcement is received.
    func addressesWereAdded() {
        guard isFiltering else { return }
        (isFiltering, unneededInRow) = (false, 0)
        do throws(Errno) {
            try socket?.watchEverything()
        } catch {
            // The filter is still attached, and blocks announcements that are wanted now. The socket is not replaced at once,
            // because the caller may be about to change what is evaluated then.
            loop.schedule(at: loop.now()) { [weak self] in self?.replaceAndWake() }
        }
    }
}

extension NamespaceContext {
    /// Opens a socket for the changes of this namespace, on a thread that need not be in the namespace.
    func openAnnouncements() throws(NetlinkError) -> SentToLoop<AnnouncementSocket> {
        let queueBytes = sharedEngine.announcementQueueBytes.load(ordering: .relaxed)
        return try inside { () throws(NetlinkError) in
            do throws(Errno) {
                return SentToLoop(AnnouncementSocket(try self.sockets.announcements(queueBytes)))
            } catch {
                throw .system(.open, error)
            }
        }
    }
}
