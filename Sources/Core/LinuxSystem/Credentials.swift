// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Whose the calling thread is (credentials(7)).
package enum Credentials {
    /// The file system user: the owner of the sockets that the thread makes. Threads of a process may differ.
    package static var fileSystemUser: UInt32 {
        // An impossible number changes nothing, and the present one is returned (setfsuid(2)).
        UInt32(bitPattern: setfsuid(UInt32.max))
    }

    /// The real user. The kernel asks rules for this one if a question names nobody.
    package static var realUser: UInt32 { getuid() }
}
