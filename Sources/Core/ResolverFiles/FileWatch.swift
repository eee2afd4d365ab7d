// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import Synchronization

/// Tells with one system call whether any of some files has changed since the watch was made.
///
/// Three things are watched. The directories of the files, and of all links on the way, tell of a file or link that is
/// replaced by a rename. The files themselves tell of a write through another mount of the same file, as containers do it. The table of
/// mounts tells of a file that is mounted over a path or unmounted.
///
/// A watch reports one change only, since links may lead elsewhere then: make a new one before reading the files again.
/// Where the user's inotify instances or watches are exhausted (inotify(7): EMFILE, ENOSPC), each check compares the files'
/// states instead.
package final class FileWatch: Sendable {
    private let paths: [String]
    /// The files that the paths led to when the watch was made.
    private let identities: [FileIdentity?]
    private let state: Lock<State>

    private struct State {
        var events: FileEvents?
        var isOver = false
    }

    package init(paths: [String]) {
        // Watched first and inspected then, so that a change in between is an event.
        state = Lock(State(events: try? FileEvents(paths: paths)))
        self.paths = paths
        identities = paths.map { try? Files.identity(of: $0) }
    }

    /// Becomes readable when there may be a change, and stays so after one. Nil where inotify is exhausted.
    package var rawDescriptor: Int32? { state.withLock { $0.events?.rawDescriptor } }

    /// Tries again to get events from inotify, if it was exhausted before. The next check compares the files all the same.
    package func retryEvents() {
        state.withLock { if $0.events == nil { $0.events = try? FileEvents(paths: paths, isChecked: false) } }
    }

    /// Held while the events are looked at and the files compared, so that no thread takes the emptied queue of another
    /// for a proof. A thread that ended meanwhile would keep the lock. The child of a fork has watches of its own.
    package var isUnchanged: Bool {
        disablingCancellation {
            state.withLock { state in
                guard let events = state.events, !state.isOver else { return !state.isOver && areFilesCurrent }
                if events.areQuiet || !events.take() && areFilesCurrent { return true }
                state.isOver = true
                // An event loop that waits for these events has to wake, although they were taken here.
                events.becomeReadable()
                return false
            }
        }
    }

    /// Whether the paths lead to the same files, in the same state.
    private var areFilesCurrent: Bool {
        zip(paths, identities).allSatisfy { path, identity in (try? Files.identity(of: path)) == identity }
    }
}

/// Wakes an event loop when files may have changed. Used on the loop's thread.
package struct FileWake {
    private let loop: EventLoop
    /// That of the watch's events; nil where inotify or epoll is exhausted.
    private var descriptor: Int32?
    private var mounts: MountTable?

    /// - Parameter changed: called on the loop. It compares the files, because the event may be about others.
    package init(_ watch: FileWatch, on loop: EventLoop, _ changed: @escaping () -> Void) {
        self.loop = loop
        func isWoken(by descriptor: Int32, for interest: Epoll.Interest) -> Bool {
            (try? loop.watch(descriptor, for: interest) { _ in changed() }) != nil
        }
        guard let events = watch.rawDescriptor, isWoken(by: events, for: .readable) else { return }
        descriptor = events
        // inotify does not report mounting and unmounting. The mount table does, as an error event.
        if let table = try? MountTable(), isWoken(by: table.rawDescriptor, for: []) { mounts = table }
    }

    /// Whether a change of the files wakes the loop. Otherwise they have to be compared whenever the loop is awake.
    package var isOn: Bool { descriptor != nil }

    package func end() {
        if let descriptor { loop.unwatch(descriptor) }
        if let mounts { loop.unwatch(mounts.rawDescriptor) }
    }
}

/// The events of everything that decides which files some paths lead to and what those contain. Used under a lock.
private final class FileEvents: Sendable {
    private let inotify: Inotify
    /// The entries of watches that matter. A file's own watch has the empty name.
    private let names: [(watch: Int32, name: String)]
    /// Nil if it cannot be opened. Then every check compares the files.
    private let mounts: MountTable?
    private let epoll: Epoll
    private let isChecked: Atomic<Bool>

    /// - Parameter isChecked: whether the files are known to be as they were. If not, the first look is not quiet.
    init(paths: [String], isChecked: Bool = true) throws(Errno) {
        let inotify = try Inotify()
        let epoll = try Epoll()
        let mounts = try? MountTable()
        try epoll.add(inotify.rawDescriptor, .readable, token: 0)
        // A change of mounts is reported as an error, which needs no interest. It is reported to one call only.
        if let mounts { try epoll.add(mounts.rawDescriptor, [], token: 1) }
        names = try Self.watch(paths, inotify)
        self.inotify = inotify
        self.epoll = epoll
        self.mounts = mounts
        self.isChecked = Atomic(isChecked)
    }

    var rawDescriptor: Int32 { inotify.rawDescriptor }

    /// Whether there was no event since `take`. Costs one system call, and takes none.
    var areQuiet: Bool { mounts != nil && isChecked.load(ordering: .relaxed) && !epoll.isReady }

    /// Takes the events. Returns true if one of them concerns the paths.
    func take() -> Bool {
        isChecked.store(true, ordering: .relaxed)
        var found = false
        do throws(Errno) {
            while try inotify.read({ event in
                found = found || event.isLoss || names.contains { $0 == (event.watch, event.name) }
            }) {}
            return found
        } catch {
            return true
        }
    }

    func becomeReadable() {
        inotify.becomeReadable()
    }

    private static func watch(
        _ paths: [String], _ inotify: borrowing Inotify
    ) throws(Errno) -> [(watch: Int32, name: String)] {
        var names: [(watch: Int32, name: String)] = []
        for path in paths {
            for entry in entries(decidingOn: path) {
                names.append((try inotify.watch(directory: entry.directory), entry.name))
            }
            do throws(Errno) {
                names.append((try inotify.watch(file: path), ""))
            } catch {
                // The directory reports when a file that is missing or must not be read changes.
                guard [.noSuchFile, .notADirectory, .permissionDenied].contains(error) else { throw error }
            }
        }
        return names
    }

    /// Every link on the way, also among the directories, and the file itself or the first directory that is missing,
    /// each with the directory that it is in.
    private static func entries(decidingOn path: String) -> [(directory: String, name: String)] {
        var entries: [(directory: String, name: String)] = []
        var directory = path.hasPrefix("/") ? "/" : "."
        var rest = path.split(separator: "/")[...]
        // As many links as the kernel follows (path_resolution(7)).
        while let name = rest.popFirst(), entries.count <= 40 {
            let whole = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
            if let target = Files.linkTarget(of: whole) {
                entries.append((directory, String(name)))
                if target.hasPrefix("/") { directory = "/" }
                rest = (target.split(separator: "/") + rest)[...]
            } else if rest.isEmpty || Files.isMissing(whole) {
                entries.append((directory, String(name)))
                break
            } else {
                directory = whole
            }
        }
        return entries
    }
}
