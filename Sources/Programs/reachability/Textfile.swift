// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A file of metrics that is kept current, and a descriptor that is readable when another process has changed the file.
final class Textfile {
    private let path: String
    private let file: PublishedFile
    /// Nil where inotify is exhausted. A removed file is then written again at the next change.
    private let inotify: Inotify?

    init(path: String) throws(PublishedFile.Failure) {
        self.path = path
        file = try PublishedFile(path: path)
        inotify = try? Inotify()
    }

    /// Calls `body` with the descriptor, if there is one.
    func withDescriptor(_ body: (Int32) -> Void) {
        switch inotify {
        case .some(let inotify): body(inotify.rawDescriptor)
        case .none: break
        }
    }

    /// Replaces the file. If that is impossible, removes it: no metrics are better than old ones that look like new ones.
    func write(_ text: String) throws(PublishedFile.Failure) {
        do throws(PublishedFile.Failure) {
            try file.replace(with: Array(text.utf8))
        } catch {
            file.remove()
            throw error
        }
        watchAgain()
    }

    /// Whether the file is not as it was written last. Takes the events.
    func wasTouched() -> Bool {
        drain()
        return !file.isIntact
    }

    /// To be called before the program ends.
    func end() {
        file.end()
    }

    /// A watch is of a file and not of its name, and ends with the file. What was queued is about our own change.
    private func watchAgain() {
        switch inotify {
        case .some(let inotify): _ = try? inotify.watch(file: path)
        case .none: break
        }
        drain()
    }

    private func drain() {
        switch inotify {
        case .some(let inotify): while (try? inotify.read { _ in }) == true {}
        case .none: break
        }
    }
}

extension PublishedFile.Failure {
    /// What is wrong, and what can be done about it.
    func sentence(about path: String) -> String {
        switch self {
        case .inUse: "another process keeps '\(path)' current; stop it, or pass another file"
        case .notAFile: "'\(path)' is a folder, a symbolic link or a device; pass the path of a file"
        case .system(let error): "cannot write '\(path)': \(error)\(Self.hint(error))"
        }
    }

    private static func hint(_ error: Errno) -> String {
        switch error {
        case .noSuchFile: "; make the folder, or pass a file in another one"
        case .permissionDenied: "; this user has to be allowed to write in the folder"
        default: ""
        }
    }
}
