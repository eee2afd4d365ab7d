// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

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

/// The users of the calling thread (credentials(7)).
package enum Credentials {
    /// The file system user: the owner of the sockets that the thread makes. Threads of a process may differ.
    package static var fileSystemUser: UInt32 {
        // An impossible number changes nothing, and the present one is returned (setfsuid(2)).
        UInt32(bitPattern: setfsuid(UInt32.max))
    }

    /// The real user. For policy rules, the kernel assumes this one if a request names no user.
    package static var realUser: UInt32 { getuid() }
}

/// The environment of the process (environ(7)).
package enum EnvironmentVariable {
    /// The value of a variable. Nil if there is none, or if the program has privileges that its caller lacks
    /// (secure_getenv(3)).
    package static func value(of name: String) -> String? {
        unsafe clinux_environment(name).map { unsafe String(cString: $0) }
    }
}

/// Facts about how the program was built.
package enum BuildFacts {
    /// The commit, if `Scripts/install` linked the program in a clone of the repository.
    package static var commit: String? {
        let text = unsafe clinux_commit().map { unsafe String(cString: $0) } ?? ""
        return text.isEmpty ? nil : text
    }
}

/// Identifies the process in which something was made, by the number of forks before it.
///
/// The child of a fork has its parent's memory and descriptors, but none of its threads. So the child does not use anything that
/// belongs to the parent, for four reasons:
///
/// - A message that the child took from a shared socket would be missing in the parent.
/// - A lock that another thread of the parent held at the fork is never released in the child.
/// - The number of a descriptor may belong to another file now, if the child has closed all descriptors that it inherited
///   (closefrom(3)).
/// - No thread of the parent performs the work that is enqueued for it.
///
/// The child makes its own objects instead: `NamespaceRegistry.current` is a different object there, and everything that asks or
/// watches is reached through it. A `ReachabilityRef` of the parent leads to the child's objects (`ReachabilityRef.here`).
/// Releasing an object of the parent in the child closes nothing, wakes nobody and waits for nobody: `OwnedDescriptor`,
/// `EventLoop` and `CancellationToken` make sure of that, and owners of other resources are never released (`abandon`).
package struct ForkEpoch: Equatable, Sendable {
    private let number: UInt32

    /// This process.
    package init() { number = clinux_fork_epoch() }

    package var isCurrent: Bool { clinux_fork_epoch() == number }

    /// Whether this process is the child of one that had loaded the package before, and has not called exec.
    package static var isChild: Bool { clinux_fork_epoch() != 0 }

    /// Keeps an object in memory for ever, so that it never frees or closes anything. Used in the child for objects of the
    /// parent, and for objects whose descriptors the program has closed, so that their numbers may belong to other files.
    package static func abandon(_ object: AnyObject?) {
        if let object { _ = unsafe Unmanaged.passRetained(object) }
    }
}
