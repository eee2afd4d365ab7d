// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// An inotify instance that watches directories and files (inotify(7)).
package struct Inotify: ~Copyable, Sendable {
    /// One thing that happened.
    package struct Event: Sendable {
        /// The watch it concerns, as `watch` returned it; -1 where the kernel lost events.
        package let watch: Int32
        /// The entry of the directory; empty where the directory or the file itself is meant.
        package let name: String
        /// The directory or file went away or was unmounted, or events were lost: what was known of it is void.
        package let isLoss: Bool
    }

    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try OwnedDescriptor(
            owning: valueOrErrno(.inotifyCreate) { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) })
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Watches the entries of a directory: made, written, replaced, removed, or with other permissions.
    package func watch(directory: String) throws(Errno) -> Int32 {
        let entries = UInt32(
            IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
        let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        let rawValue = descriptor.rawValue
        return try valueOrErrno(.inotifyAdd) { unsafe inotify_add_watch(rawValue, directory, entries | itself) }
    }

    /// Watches a file itself: written, removed, or with other permissions, through whichever mount or name that happens.
    package func watch(file: String) throws(Errno) -> Int32 {
        // Added to what the same inode is watched for already.
        let events = UInt32(
            IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | Int32(IN_MASK_ADD))
        let rawValue = descriptor.rawValue
        return try valueOrErrno(.inotifyAdd) { unsafe inotify_add_watch(rawValue, file, events) }
    }

    /// Has the descriptor become readable: a watch that is removed leaves an event (IN_IGNORED).
    package func becomeReadable() {
        guard let watch = try? watch(directory: "/") else { return }
        _ = inotify_rm_watch(descriptor.rawValue, watch)
    }

    /// Takes one buffer of events; false where none were there.
    package func read(_ body: (Event) -> Void) throws(Errno) -> Bool {
        // Room for at least one event with the longest name (inotify(7)).
        let capacity = 4096
        let rawValue = descriptor.rawValue
        let outcome: Result<Bool, Errno> = unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) {
            buffer in
            let length: Int
            do throws(Errno) {
                length = try valueOrErrno(.read) { unsafe Glibc.read(rawValue, buffer.baseAddress!, capacity) }
            } catch {
                return error == .wouldBlock ? .success(false) : .failure(error)
            }
            unsafe Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<length]), body)
            return .success(length > 0)
        }
        return try outcome.get()
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
        let header = MemoryLayout<inotify_event>.size
        let lost = UInt32(IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF)
        var offset = 0
        while offset + header <= bytes.count {
            let event = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(bytes.count, offset + header + Int(event.len))
            let name = unsafe bytes[(offset + header)..<end].prefix { $0 != 0 }
            unsafe body(
                Event(watch: event.wd, name: String(decoding: name, as: UTF8.self), isLoss: event.mask & lost != 0))
            offset = end
        }
    }
}
