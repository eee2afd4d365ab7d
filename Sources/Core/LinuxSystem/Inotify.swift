// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// An inotify instance that watches directories and files (inotify(7)).
package struct Inotify: ~Copyable, Sendable {
    /// A change.
    package struct Event: Sendable {
        /// The number that `watch` returned; -1 if the kernel lost events.
        package let watch: Int32
        /// The directory entry that changed; empty for the directory or file itself.
        package let name: String
        /// Whether the directory or file was removed or unmounted, or events were lost, so that earlier knowledge of it is no
        /// longer valid.
        package let isLoss: Bool
    }

    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try OwnedDescriptor(.inotifyCreate) { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Watches the entries of a directory: creation, writing, replacement, removal, permissions.
    package func watch(directory: String) throws(Errno) -> Int32 {
        let entries = UInt32(
            IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
        let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        return try descriptor.call(.inotifyAdd) { unsafe inotify_add_watch($0, directory, entries | itself) }
    }

    /// Watches a file by any of its names and mounts: writing, removal, permissions.
    package func watch(file: String) throws(Errno) -> Int32 {
        // Adds to an existing watch of the same inode.
        let events = UInt32(
            IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | Int32(IN_MASK_ADD))
        return try descriptor.call(.inotifyAdd) { unsafe inotify_add_watch($0, file, events) }
    }

    /// Makes the descriptor readable: removing a watch queues an event (IN_IGNORED).
    package func becomeReadable() {
        guard let watch = try? watch(directory: "/") else { return }
        _ = inotify_rm_watch(descriptor.rawValue, watch)
    }

    /// Takes one buffer of events. Returns false if there were none.
    package func read(_ body: (Event) -> Void) throws(Errno) -> Bool {
        try requireOwnFile()
        // Holds at least one event with the longest name (inotify(7)).
        let capacity = 4096
        var buffer = [UInt8](repeating: 0, count: capacity)
        do throws(Errno) {
            let length = try descriptor.call(.read) { unsafe ReachabilityLinuxSystem.read($0, &buffer, capacity) }
            unsafe buffer.withUnsafeBytes { unsafe Self.parse(UnsafeRawBufferPointer(rebasing: $0[..<length]), body) }
            return length > 0
        } catch {
            if error == .wouldBlock { return false }
            throw error
        }
    }

    /// Throws if the program has opened another file under the number (closefrom(3)), whose contents belong to the program.
    private func requireOwnFile() throws(Errno) {
        // The kernel checks the file first (EINVAL), and then the path (ENOENT; inotify_add_watch in
        // fs/notify/inotify/inotify_user.c).
        guard unsafe inotify_add_watch(descriptor.rawValue, "", UInt32(IN_ACCESS)) < 0, Errno.current == .noSuchFile
        else {
            throw .badDescriptor
        }
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

/// A descriptor that reports changes of the mounts in the calling thread's mount namespace (proc(5), mountinfo).
///
/// A change makes the descriptor ready (EPOLLERR and EPOLLPRI) until it has been polled once, because polling consumes the
/// event (`mounts_poll` in fs/proc_namespace.c). So a descriptor serves only one epoll instance.
package final class MountTable: Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try Files.open("/proc/thread-self/mountinfo")
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }
}
