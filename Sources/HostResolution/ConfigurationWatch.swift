// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Tells with one system call whether any of some files has changed since the watch was made.
///
/// A watch is used up by the first change, since links may lead elsewhere then: make a new one before reading the files
/// again. Where the user's inotify instances or watches are exhausted (inotify(7): EMFILE, ENOSPC), each check compares
/// the files' states instead. The child of a fork does the same: it shares the parent's queue of events and must not
/// take any from it.
package final class ConfigurationWatch: Sendable {
    private let states: FileStates
    private let firstEvents: FileEvents?
    private let laterEvents = AtomicLazyReference<FileEvents>()
    private let forkEpoch: UInt64

    package init(paths: [String]) {
        ForkEpoch.observe()
        forkEpoch = ForkEpoch.current
        // Watched first and inspected then, so that a change in between is an event.
        firstEvents = try? FileEvents(paths: paths)
        states = FileStates(of: paths)
    }

    private var events: FileEvents? { firstEvents ?? laterEvents.load() }

    /// Becomes readable when there may be a change. Nil where inotify is exhausted.
    package var rawDescriptor: Int32? { events?.rawDescriptor }

    /// Tries again to get events from inotify, if it was exhausted before.
    func retryEvents() {
        guard events == nil, ForkEpoch.current == forkEpoch, let fresh = try? FileEvents(paths: states.paths) else {
            return
        }
        // The next check compares the files before it relies on events.
        _ = laterEvents.storeIfNil(fresh)
    }

    package var isUnchanged: Bool {
        guard ForkEpoch.current == forkEpoch, let events else { return states.areCurrent }
        switch events.peek() {
        case .quiet: return true
        case .unknown where events.isQueueEmpty && states.areCurrent: return true
        case .changed, .unknown: return withoutCancellation { events.verify(states) }
        }
    }
}

/// The files that some paths led to at one moment.
struct FileStates: Sendable {
    let paths: [String]
    private let identities: [FileIdentity?]

    init(of paths: [String]) {
        self.paths = paths
        identities = paths.map { try? Files.identity(of: $0) }
    }

    /// Whether the paths lead to the same files, in the same state.
    var areCurrent: Bool {
        zip(paths, identities).allSatisfy { path, identity in (try? Files.identity(of: path)) == identity }
    }
}
