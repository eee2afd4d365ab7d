// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// The events of everything that decides which files some paths lead to and what those contain.
///
/// Three things are watched. The directories of the paths, and of the links on the way, tell of a file that is replaced
/// by a rename. The files themselves tell of a write through another mount of the same file, as containers do it. The
/// table of mounts tells of a file that is mounted over a path or unmounted.
final class FileEvents: Sendable {
    enum Peek {
        /// No event since the last verification.
        case quiet
        /// There were events since the last verification.
        case changed
        /// Another thread is inside `peek`, or the table of mounts cannot be opened.
        case unknown
    }

    private let inotify: Inotify
    /// The entries of each watch that matter. A file's own watch has the empty name.
    private let names: [Int32: Set<String>]
    private let mounts: MountTable?
    private let epoll: Epoll
    /// Held while the epoll instance is asked: it reports a change of mounts to one call only.
    private let lock = TryLock()
    /// Raised whenever events may have been taken, and before another thread can find the queues empty.
    private let eventCount = Atomic<UInt64>(1)
    /// The event count up to which the files were found unchanged.
    private let verifiedCount = Atomic<UInt64>(0)
    private let isUsedUp = Mutex(false)

    init(paths: [String]) throws(Errno) {
        let inotify = try Inotify()
        let epoll = try Epoll()
        let mounts = try? MountTable()
        try epoll.add(inotify.rawDescriptor, .readable, token: 0)
        // A change of mounts is reported as an error, which needs no interest.
        if let mounts { try epoll.add(mounts.rawDescriptor, [], token: 1) }
        names = try Self.watch(paths, inotify)
        self.inotify = inotify
        self.epoll = epoll
        self.mounts = mounts
    }

    /// Readable when there may be a change, and always after the first one.
    var rawDescriptor: Int32 { inotify.rawDescriptor }

    /// Looks for events with one system call, and takes none.
    @inline(__always)
    func peek() -> Peek {
        guard mounts != nil else { return .unknown }
        return lock.withLockIfFree {
            if withoutCancellation({ epoll.isReady }) {
                eventCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
                return .changed
            }
            return isVerified ? .quiet : .changed
        } ?? .unknown
    }

    /// Whether no event of a file or directory waits, and the files were verified after the last one.
    var isQueueEmpty: Bool { IdleCheck.isIdleByPoll(inotify.rawDescriptor) && isVerified }

    private var isVerified: Bool {
        verifiedCount.load(ordering: .acquiring) == eventCount.load(ordering: .acquiring)
    }

    /// Takes the events. Returns true if none of them concerns the paths, and these lead to the same files as before.
    func verify(_ states: FileStates) -> Bool {
        isUsedUp.withLock { isUsedUp in
            guard !isUsedUp else { return false }
            // Raised before the first event is taken, so that no other thread takes the emptied queue for a proof.
            let count = eventCount.wrappingAdd(1, ordering: .relaxed).newValue
            atomicMemoryFence(ordering: .releasing)
            if !takeEvents(), states.areCurrent {
                verifiedCount.store(count, ordering: .releasing)
                return true
            }
            isUsedUp = true
            // An event loop that waits for these events has to wake, although they were taken here.
            inotify.becomeReadable()
            return false
        }
    }

    /// Empties the queue. Returns true if an event in it concerns the paths.
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

// MARK: Watches

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
                // The directory reports when a file that is missing or must not be read changes.
                guard [.noSuchFile, .notADirectory, .permissionDenied].contains(error) else { throw error }
            }
        }
        return names
    }

    /// The path itself and every link on the way, each with its directory. If a directory does not exist, the entry is
    /// the first missing directory in its nearest ancestor.
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
