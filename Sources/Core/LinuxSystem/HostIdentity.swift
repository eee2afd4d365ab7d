// SPDX-License-Identifier: Apache-2.0

/// The name of the machine in the calling thread's UTS namespace (uts_namespaces(7)).
package enum HostIdentity {
    /// The name; empty if none was set, which the kernel shows as "(none)".
    package static var name: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(HOST_NAME_MAX) + 1) { buffer in
            guard unsafe gethostname(buffer.baseAddress!, buffer.count) == 0 else { return "" }
            let name = unsafe String(cString: buffer.baseAddress!)
            return name == "(none)" ? "" : name
        }
    }
}

/// A descriptor that becomes ready when the name of a machine changes (`proc_sys_poll` in fs/proc/proc_sysctl.c). As with
/// `MountTable`, polling consumes the event.
package final class HostNameEvents: Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try Files.open("/proc/sys/kernel/hostname")
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }
}
