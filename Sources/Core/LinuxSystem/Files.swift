// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Identifies a file and its state, in order to notice that it was replaced or edited.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let modified: Int64
    package let changed: Int64
}

/// System calls for small files: configuration files, /proc and /sys.
package enum Files {
    /// Opens a regular file for reading. Fails for a pipe, a directory or a device, without waiting for it.
    package static func open(_ path: String) throws(Errno) -> OwnedDescriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try OwnedDescriptor(.open) { unsafe ReachabilityLinuxSystem.open(path, flags) }
        guard try status(of: file).st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        return file
    }

    /// Creates a file for writing, which only its owner may open. Fails if the name exists, even as a symbolic link.
    package static func create(_ path: String) throws(Errno) -> OwnedDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return try OwnedDescriptor(.open) { unsafe ReachabilityLinuxSystem.open(path, flags, 0o600) }
    }

    /// The contents of a small file. One of more than `limit` bytes is an error.
    package static func contents(of path: String, limit: Int = 1 << 20) throws(Errno) -> [UInt8] {
        try contents(of: open(path), limit: limit)
    }

    /// The bytes that can be read from a descriptor until its end.
    package static func contents(of descriptor: borrowing OwnedDescriptor, limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            // Large files are read in a few calls.
            let wanted = min(max(4096, bytes.count), limit + 1 - bytes.count)
            let start = bytes.count
            bytes += [UInt8](repeating: 0, count: wanted)
            let count = try descriptor.call(.read) { descriptor in
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe read(descriptor, buffer.baseAddress! + start, wanted)
                }
            }
            bytes.removeLast(wanted - count)
            if count == 0 { return bytes }
        }
        throw .fileTooLarge
    }

    /// The file that a path leads to. Follows symbolic links.
    package static func identity(of path: String) throws(Errno) -> FileIdentity {
        FileIdentity(try status(of: path))
    }

    /// Whether there is nothing at a path. Also false if that cannot be found out because memory is exhausted.
    package static func isMissing(_ path: String) -> Bool {
        do throws(Errno) {
            _ = try status(of: path)
            return false
        } catch {
            return !error.isShortage
        }
    }

    /// The regular file at a path; nil if nothing is there. A link is not followed.
    package static func regularFile(at path: String) throws(Errno) -> FileIdentity? {
        var status = stat()
        do throws(Errno) {
            _ = try valueOrErrno(.stat) { unsafe lstat(path, &status) }
        } catch {
            if error == .noSuchFile { return nil }
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        return FileIdentity(status)
    }

    /// The file that a descriptor refers to.
    package static func identity(of descriptor: borrowing OwnedDescriptor) throws(Errno) -> FileIdentity {
        FileIdentity(try status(of: descriptor))
    }

    private static func status(of path: String) throws(Errno) -> stat {
        var status = stat()
        _ = try valueOrErrno(.stat) { unsafe stat(path, &status) }
        return status
    }

    private static func status(of descriptor: borrowing OwnedDescriptor) throws(Errno) -> stat {
        var status = stat()
        _ = try descriptor.call(.stat) { unsafe fstat($0, &status) }
        return status
    }

    /// The target of a symbolic link; nil if the path is none.
    package static func linkTarget(of path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            let count = unsafe readlink(
                path, UnsafeMutableRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self), buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

extension FileIdentity {
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }
}
