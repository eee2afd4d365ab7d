// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Knows, at the price of one system call, whether any of some files has changed since it was made.
///
/// It is used up by the first change: links may lead elsewhere then, so whoever reads the files again makes a new one before.
/// Where the user's inotify instances or watches are exhausted (inotify(7): EMFILE, ENOSPC), the files' states are compared
/// in each check instead. So they are in the child of a fork, which shares the parent's queue of events and must not take
/// any from it.
package final class ConfigurationWatch: Sendable {
    private let states: FileStates
    private let firstEvents: FileEvents?
    private let laterEvents = AtomicLazyReference<FileEvents>()
    private let forkEpoch: UInt64

    package init(paths: [String]) {
        ForkEpoch.observe()
        forkEpoch = ForkEpoch.current
        // Watched first and looked at then: a change in between is an event.
        firstEvents = try? FileEvents(paths: paths)
        states = FileStates(of: paths)
    }

    private var events: FileEvents? { firstEvents ?? laterEvents.load() }

    /// Becomes readable when there may be a change; nil where inotify is exhausted.
    package var rawDescriptor: Int32? { events?.rawDescriptor }

    /// Tries once more to have inotify tell of changes, where it was exhausted before.
    func listen() {
        guard events == nil, ForkEpoch.current == forkEpoch, let fresh = try? FileEvents(paths: states.paths) else {
            return
        }
        // The next check compares the files before it relies on events.
        _ = laterEvents.storeIfNil(fresh)
    }

    package var isUnchanged: Bool {
        guard ForkEpoch.current == forkEpoch, let events else { return states.areCurrent }
        switch events.glance() {
        case .quiet: return true
        case .unknown where events.isQueueEmpty && states.areCurrent: return true
        case .eventful, .unknown: return withoutCancellation { events.judge(states) }
        }
    }
}

/// What some paths led to at one moment.
struct FileStates: Sendable {
    let paths: [String]
    private let identities: [FileIdentity?]

    init(of paths: [String]) {
        self.paths = paths
        identities = paths.map { try? Files.identity(of: $0) }
    }

    /// Whether they lead to the same files, in the same state.
    var areCurrent: Bool {
        zip(paths, identities).allSatisfy { path, identity in (try? Files.identity(of: path)) == identity }
    }
}
