// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Knows, at the price of one system call, whether any of some files has changed since it was made.
///
/// It watches the directories of the files, and of what they link to, so that replacing a file by rename is seen as
/// well as writing into it. It is used up by the first change: links may lead elsewhere then, so whoever reads the files
/// again makes a new one before. Where the user's inotify instances or watches are exhausted (inotify(7): EMFILE,
/// ENOSPC), the files' states are compared in each check instead. So they are in the child of a fork, which shares
/// the parent's queue of events and must not take any from it.
package final class ConfigurationWatch: Sendable {
    private let watching: DirectoryWatch?
    private let paths: [String]
    private let states: [FileIdentity?]
    private let verdict = Atomic<Int>(Verdict.unchanged)
    private let drainLock = Mutex(())
    private let forkEpoch: UInt64

    private enum Verdict {
        static let unchanged = 0
        /// Events have been taken from the queue and not been judged yet: an empty queue proves nothing now.
        static let undecided = 1
        static let changed = 2
    }

    package init(paths: [String]) {
        ForkEpoch.observe()
        forkEpoch = ForkEpoch.current
        self.paths = paths
        watching = try? DirectoryWatch(paths: paths)
        states = paths.map { try? Files.identity(of: $0) }
    }

    /// Whether inotify could be had.
    package var usesInotify: Bool { watching != nil }

    /// Becomes readable when there may be a change; nil where inotify could not be had.
    package var rawDescriptor: Int32? { watching?.rawDescriptor }

    package var isUnchanged: Bool {
        guard let watching, ForkEpoch.current == forkEpoch else { return comparesEqual }
        if watching.isQuiet {
            switch verdict.load(ordering: .acquiring) {
            case Verdict.unchanged: return true
            case Verdict.changed: return false
            default: break
            }
        }
        return drainLock.withLock { _ in
            // Raised before the first read, so that nobody takes the queue we empty for proof.
            guard verdict.load(ordering: .acquiring) != Verdict.changed else { return false }
            verdict.store(Verdict.undecided, ordering: .sequentiallyConsistent)
            let isUnchanged = !watching.drainFindsChange()
            verdict.store(isUnchanged ? Verdict.unchanged : Verdict.changed, ordering: .sequentiallyConsistent)
            return isUnchanged
        }
    }

    private var comparesEqual: Bool {
        guard verdict.load(ordering: .acquiring) == Verdict.unchanged else { return false }
        for (path, state) in zip(paths, states) where (try? Files.identity(of: path)) != state {
            verdict.store(Verdict.changed, ordering: .releasing)
            return false
        }
        return true
    }
}

/// inotify watches on all directories whose entries decide what some paths lead to.
private final class DirectoryWatch: Sendable {
    private let check: QuietCheck
    private let inotify: Inotify
    private let names: [Int32: Set<String>]

    init(paths: [String]) throws(Errno) {
        let inotify = try Inotify()
        var names: [Int32: Set<String>] = [:]
        for path in paths {
            for entry in Self.entries(decidingOn: path) {
                let watch = try inotify.watch(directory: entry.directory)
                names[watch, default: []].insert(entry.name)
            }
        }
        check = QuietCheck(inotify.rawDescriptor)
        self.inotify = inotify
        self.names = names
    }

    var rawDescriptor: Int32 { inotify.rawDescriptor }
    var isQuiet: Bool { check.isQuiet }

    /// Empties the queue; whether anything in it concerns the files.
    func drainFindsChange() -> Bool {
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
