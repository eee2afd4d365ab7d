// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A file that this process keeps current, and that others read at any time.
///
/// A reader finds one version, whole: each version is written to a file of its own, which then takes the place of the last one
/// (rename(2)). The present version is locked (flock(2)), so that a second process notices the first. The kernel ends the lock
/// with the process, so the lock of a process that was killed does not stay.
///
/// Nothing is forced to the disk (fsync(2)). The contents are of no use after a crash, and a flush would wake the disk at every
/// change.
package final class PublishedFile {
    package enum Failure: Error, Hashable, Sendable {
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
    /// The version that is locked. Open as long as it is the present one.
    private var locked: OwnedDescriptor?
    /// What that version was like; nil if there is none.
    private var known: FileIdentity?

    /// Readable for all, whatever the file mode creation mask is: the reader is a service with a user of its own.
    private static let mode: mode_t = 0o644

    /// Locks the version that an earlier process has left behind, if there is one.
    package init(path: String) throws(Failure) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        let (folder, name) = slash.map { (path[...$0], path[path.index(after: $0)...]) } ?? ("", path[...])
        draft = "\(folder).\(name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        try takeOver()
    }

    // MARK: Writing

    /// Replaces the file, or makes it if it is not there.
    package func replace(with bytes: [UInt8]) throws(Failure) {
        let new = try write(bytes)
        do throws(Failure) {
            let identity = try Self.identity(of: new)
            try publish()
            locked = consume new
            known = identity
        } catch {
            unlinkFile(draft)
            throw error
        }
    }

    /// Removes the file, unless another process has put its own in the place.
    package func remove() {
        if isInPlace { unlinkFile(path) }
        forget()
    }

    /// Whether the file is there as it was written last.
    package var isIntact: Bool {
        guard let known, let present = try? Files.identity(of: path) else { return false }
        return present.isSameFile(as: known) && present.size == known.size && present.modified == known.modified
    }

    private var isInPlace: Bool {
        guard let known, let present = try? Files.identity(of: path) else { return false }
        return present.isSameFile(as: known)
    }

    private func forget() {
        locked = nil
        known = nil
    }

    private func write(_ bytes: [UInt8]) throws(Failure) -> OwnedDescriptor {
        try system { () throws(Errno) in
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
            let new = try OwnedDescriptor(.open) { unsafe clinux_open(draft, flags, Self.mode) }
            do throws(Errno) {
                try Self.fill(new, bytes)
            } catch {
                unlinkFile(draft)
                throw error
            }
            return new
        }
    }

    private static func fill(_ new: borrowing OwnedDescriptor, _ bytes: [UInt8]) throws(Errno) {
        let rawValue = new.rawValue
        var done = 0
        while done < bytes.count {
            done += try valueOrErrno(.write) {
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe LinuxSystem.write(rawValue, buffer.baseAddress! + done, buffer.count - done)
                }
            }
        }
        _ = try valueOrErrno(.write) { fchmod(rawValue, mode) }
        // This cannot wait, as no other process knows the file yet. It can fail: some file systems have no locks.
        _ = flock(rawValue, LOCK_EX | LOCK_NB)
    }

    /// Gives the new version its name.
    private func publish() throws(Failure) {
        while true {
            if isInPlace { return try system { () throws(Errno) in try rename() } }
            // There is no file of ours. One of another process must not be replaced unseen.
            do throws(Errno) {
                _ = try valueOrErrno(.link) { unsafe link(draft, path) }
                unlinkFile(draft)
                return
            } catch {
                switch error {
                case .fileExists: try takeOver()
                // Not every file system has hard links.
                case .notPermitted, .notSupported: return try system { () throws(Errno) in try rename() }
                default: throw .system(error)
                }
            }
        }
    }

    private func rename() throws(Errno) {
        _ = try valueOrErrno(.rename) { unsafe LinuxSystem.rename(draft, path) }
    }

    private func unlinkFile(_ path: String) {
        _ = unsafe unlink(path)
    }

    // MARK: Locking

    /// Locks the file that is there, if there is one.
    private func takeOver() throws(Failure) {
        repeat {
            forget()
            let found: OwnedDescriptor
            do throws(Errno) {
                // Opening a pipe would wait for a writer without O_NONBLOCK.
                let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
                found = try OwnedDescriptor(.open) { unsafe clinux_open(path, flags, 0) }
            } catch {
                switch error {
                case .noSuchFile: return
                // open(2) has these for a symbolic link, and for a socket.
                case Errno(rawValue: ELOOP), .noSuchAddress: throw .notAFile
                default: throw .system(error)
                }
            }
            let identity = try Self.identity(of: found)
            if flock(found.rawValue, LOCK_EX | LOCK_NB) != 0, Errno.current == .wouldBlock { throw .inUse }
            known = identity
            locked = consume found
            // The other process may have replaced it between the two calls, and ended since.
        } while !isInPlace
    }

    /// Fails for anything but a regular file.
    private static func identity(of descriptor: borrowing OwnedDescriptor) throws(Failure) -> FileIdentity {
        var status = stat()
        let rawValue = descriptor.rawValue
        do throws(Errno) {
            _ = try valueOrErrno(.stat) { unsafe fstat(rawValue, &status) }
        } catch {
            throw .system(error)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        return FileIdentity(status)
    }

    private func system<Value: ~Copyable>(_ body: () throws(Errno) -> Value) throws(Failure) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

extension FileIdentity {
    fileprivate func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
