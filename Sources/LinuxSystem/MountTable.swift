// SPDX-License-Identifier: Apache-2.0

/// The mounts of the calling thread's mount namespace, opened in order to be told of changes (proc(5), mountinfo).
///
/// A change makes the descriptor ready with EPOLLERR and EPOLLPRI until it has been polled once: polling takes the event
/// (`mounts_poll` in fs/proc_namespace.c). So a descriptor is for one epoll instance alone.
package final class MountTable: Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try Files.open("/proc/thread-self/mountinfo")
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }
}
