// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// The events of everything that decides what some paths lead to and what stands there.
///
/// Watched are the directories of the paths and of what they link to, which tell of files that are replaced by a rename; the
/// files themselves, which tell of what is written through another mount of the same file, as containers have it; and the
/// table of mounts, since neither tells of a file that is mounted over a path or unmounted.
final class FileEvents: Sendable {
    /// What one look finds.
    enum Glance {
        /// Nothing has happened since the last judgement.
        case quiet
        /// Something has happened that has not been judged.
        case eventful
        /// It cannot be told: another thread is looking, or the table of mounts cannot be opened.
        case unknown
    }

    private let inotify: Inotify
    /// The entries of each watch that matter; for a file the empty name.
    private let names: [Int32: Set<String>]
    private let mounts: MountTable?
    private let epoll: Epoll
    /// Whether a thread is looking at the epoll instance. A change of mounts is reported to one look only.
    private let isTaken = Atomic(false)
    /// Raised whenever events may have been taken, and before anybody else can find the queues empty.
    private let doubts = Atomic<UInt64>(1)
    /// The doubt up to which everything was judged to be as it was.
    private let judged = Atomic<UInt64>(0)
    private let isUsedUp = Mutex(false)

    init(paths: [String]) throws(Errno) {
        let inotify = try Inotify()
        let epoll = try Epoll()
        let mounts = try? MountTable()
        try epoll.add(inotify.rawDescriptor, .readable, token: 0)
        // Nothing but errors is asked for, and a change of mounts is reported as one.
        if let mounts { try epoll.add(mounts.rawDescriptor, [], token: 1) }
        names = try Self.watch(paths, inotify)
        self.inotify = inotify
        self.epoll = epoll
        self.mounts = mounts
    }

    /// Readable when there may be a change, and for ever once it is used up.
    var rawDescriptor: Int32 { inotify.rawDescriptor }

    /// One look, at the price of one system call.
    @inline(__always)
    func glance() -> Glance {
        guard mounts != nil, !isTaken.exchange(true, ordering: .acquiring) else { return .unknown }
        defer { isTaken.store(false, ordering: .releasing) }
        if withoutCancellation({ epoll.isReady }) {
            doubts.wrappingAdd(1, ordering: .acquiringAndReleasing)
            return .eventful
        }
        return hasNoDoubt ? .quiet : .eventful
    }

    /// Whether no event of a file or directory waits, and all that came before were judged.
    var isQueueEmpty: Bool { IdleCheck.isIdleByPoll(inotify.rawDescriptor) && hasNoDoubt }

    private var hasNoDoubt: Bool { judged.load(ordering: .acquiring) == doubts.load(ordering: .acquiring) }

    /// Takes the events; whether none of them concerns the paths, and these lead to what they led to before.
    func judge(_ states: FileStates) -> Bool {
        isUsedUp.withLock { isUsedUp in
            guard !isUsedUp else { return false }
            // Raised before the first event is taken, so that nobody takes the queue emptied here for proof.
            let doubt = doubts.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
            if !takeEvents(), states.areCurrent {
                judged.store(doubt, ordering: .releasing)
                return true
            }
            isUsedUp = true
            // An event loop that waits for these events has to wake though they were taken here.
            inotify.becomeReadable()
            return false
        }
    }

    /// Empties the queue; whether anything in it concerns the paths.
    private func takeEvents() -> Bool {
        var found = false
        do throws(Errno) {
            while try inotify.read({ event in
                found = found || event.isLoss || names[event.watch]?.contains(event.name) == true
            }) {}
            return found
        } catch {
            return true
        }
    }
}

// MARK: What is watched

extension FileEvents {
    private static func watch(_ paths: [String], _ inotify: borrowing Inotify) throws(Errno) -> [Int32: Set<String>] {
        var names: [Int32: Set<String>] = [:]
        for path in paths {
            for entry in entries(decidingOn: path) {
                names[try inotify.watch(directory: entry.directory), default: []].insert(entry.name)
            }
            do throws(Errno) {
                names[try inotify.watch(file: path), default: []].insert("")
            } catch {
                // A file that is missing, or that must not be read, is told of by its directory when that changes.
                guard [.noSuchFile, .notADirectory, .permissionDenied].contains(error) else { throw error }
            }
        }
        return names
    }

    /// The path itself and every link on the way, each with the directory it stands in; for one whose directory
    /// does not exist, the first missing directory in its nearest ancestor.
    private static func entries(decidingOn path: String) -> [(directory: String, name: String)] {
        var entries: [(directory: String, name: String)] = []
        var path = path
        // As many links as the kernel follows (path_resolution(7)).
        for _ in 0..<40 {
            var (directory, name) = split(path)
            let target = Files.linkTarget(of: path)
            while (try? Files.identity(of: directory)) == nil, directory != "/", directory != "." {
                (directory, name) = split(directory)
            }
            entries.append((directory, name))
            guard let target else { break }
            path = target.hasPrefix("/") ? target : directory + "/" + target
        }
        return entries
    }

    private static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = path[..<slash]
        return (directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...]))
    }
}
