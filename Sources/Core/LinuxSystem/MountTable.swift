// SPDX-License-Identifier: Apache-2.0

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
