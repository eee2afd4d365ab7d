// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityLinuxSystem

/// A file that this process keeps current, and that others read at any time.
///
/// A reader finds one version, whole: each version is written to a file of its own, which then takes the place of the last one
/// (rename(2)). A second process notices the first by a lock (flock(2)) on another file beside it. Only the owner can open that
/// one, as whoever can open a file can lock it. The kernel ends the lock with the process, so the lock of a process that was
/// killed does not stay.
///
/// Nothing is forced to the disk (fsync(2)). The contents are of no use after a crash, and a flush would wake the disk at every
/// change.
final class PublishedFile {
    enum Failure: Error, Hashable, Sendable {
        /// Another process keeps it current.
        case inUse
        /// The path leads to a folder, a symbolic link or a device.
        case notAFile
        case system(Errno)
    }

    private let path: String
    /// Where a new version is written, in the same folder. It is hidden, and its name does not end as that of the file does,
    /// so that no reader takes it for the file. No other process uses this name, also none in another PID namespace.
    private let draft: String
    private let lockPath: String
    /// Locked until this object ends.
    private let lock: OwnedDescriptor
    /// What the present version is like; nil if there is none.
    private var known: FileIdentity?
    /// Watches the file. Nil where inotify is exhausted. A removed file is then written again at the next change.
    private let inotify: Inotify?

    /// Readable for all, whatever the file mode creation mask is: the reader is a service with a user of its own.
    private static let mode: mode_t = 0o644

    /// Takes over the version that an earlier process has left behind, if there is one.
    init(path: String) throws(Failure) {
        let slash = path.lastIndex(of: "/")
        let (folder, name) = slash.map { (path[...$0], path[path.index(after: $0)...]) } ?? ("", path[...])
        // With its dot and its end, a name may have 255 bytes.
        var kept = name
        while kept.utf8.count > 249 { kept.removeLast() }
        self.path = path
        draft = "\(folder).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        lockPath = "\(folder).\(kept).lock"
        known = try Self.present(path)
        lock = try Self.lock(lockPath)
        inotify = try? Inotify()
    }

    /// To be called at the end, before the process ends or the object goes. Removes the file.
    func end() {
        remove()
        unlinkFile(lockPath)
    }

    // MARK: Writing

    /// Replaces the file, or makes it if it is not there, and watches it.
    func replace(with bytes: [UInt8]) throws(Failure) {
        do throws(Errno) {
            known = try publish(bytes)
        } catch {
            unlinkFile(draft)
            throw .system(error)
        }
        // A watch is of a file and not of its name, and ends with the file. What was queued is about our own change.
        withInotify { _ = try? $0.watch(file: path) }
        drain()
    }

    /// Removes the file, unless another process has put its own in the place.
    func remove() {
        if let known, let present = try? Files.identity(of: path), present.isSameFile(as: known) { unlinkFile(path) }
        known = nil
    }

    /// Whether the file is there as it was written last.
    var isIntact: Bool {
        guard let known, let present = try? Files.identity(of: path) else { return false }
        return present.isSameFile(as: known) && present.size == known.size && present.modified == known.modified
    }

    /// Returns what the new version is like. If that fails, a draft may be left.
    private func publish(_ bytes: [UInt8]) throws(Errno) -> FileIdentity {
        let new = try Files.create(draft)
        try Self.fill(new, bytes)
        let identity = try Files.identity(of: new)
        _ = try valueOrErrno(.rename) { unsafe rename(draft, path) }
        return identity
    }

    private static func fill(_ new: borrowing OwnedDescriptor, _ bytes: [UInt8]) throws(Errno) {
        let rawValue = new.rawValue
        var done = 0
        while done < bytes.count {
            done += try valueOrErrno(.write) {
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe ReachabilityLinuxSystem.write(rawValue, buffer.baseAddress! + done, buffer.count - done)
                }
            }
        }
        _ = try valueOrErrno(.write) { fchmod(rawValue, mode) }
    }

    private func unlinkFile(_ path: String) {
        _ = unsafe unlink(path)
    }

    // MARK: Changes by others

    /// Calls `body` with the inotify instance, if there is one. It is readable when another process changed the file.
    func withInotify(_ body: (borrowing Inotify) -> Void) {
        switch inotify {
        case .some(let inotify): body(inotify)
        case .none: break
        }
    }

    /// Whether the file is not as it was written last. Takes the events.
    func wasTouched() -> Bool {
        drain()
        return !isIntact
    }

    private func drain() {
        withInotify { while (try? $0.read { _ in }) == true {} }
    }

    // MARK: Locking

    /// The file that is there. Nothing but a regular file is replaced.
    private static func present(_ path: String) throws(Failure) -> FileIdentity? {
        do throws(Errno) {
            return try Files.regularFile(at: path)
        } catch {
            throw error == .notAFile ? .notAFile : .system(error)
        }
    }

    private static func lock(_ path: String) throws(Failure) -> OwnedDescriptor {
        while true {
            do throws(Errno) {
                let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
                let file = try OwnedDescriptor(.open) { unsafe open(path, flags, 0o600) }
                // Some file systems have no locks.
                if flock(file.rawValue, LOCK_EX | LOCK_NB) != 0, Errno.current == .wouldBlock { throw .wouldBlock }
                // The last owner may have removed it between the two calls.
                if let present = try? Files.identity(of: path), try Files.identity(of: file).isSameFile(as: present) {
                    return file
                }
            } catch {
                throw error == .wouldBlock ? .inUse : .system(error)
            }
        }
    }
}

extension FileIdentity {
    fileprivate func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
