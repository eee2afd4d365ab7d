// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Finds the context of a namespace, which all references made there share. A context goes with its last reference.
package final class NamespaceRegistry: Sendable {
    /// A process is in a handful of namespaces, which are searched.
    private struct Entry {
        weak var namespace: NamespaceContext?
    }

    private let entries = Lock<[Entry]>([])
    private let epoch = ForkEpoch()

    private init() {}

    // MARK: One registry per process

    private static let holder = unsafe Atomic<Unmanaged<NamespaceRegistry>?>(nil)

    /// The registry of this process. A thread of the parent may have held the lock at the moment of the fork, so a child
    /// makes a new registry. It never touches the old one again, not even to free it.
    package static var current: NamespaceRegistry {
        while true {
            let present = unsafe holder.load(ordering: .acquiring)
            if let registry = unsafe present?.takeUnretainedValue(), registry.epoch.isCurrent { return registry }
            let fresh = unsafe Unmanaged.passRetained(NamespaceRegistry())
            let (exchanged, _) = unsafe holder.compareExchange(
                expected: present, desired: fresh, ordering: .acquiringAndReleasing)
            if exchanged { return unsafe fresh.takeUnretainedValue() }
            unsafe fresh.release()
        }
    }

    // MARK: Contexts

    /// The context of the calling thread's namespace.
    package func namespaceOfCallingThread() -> NamespaceContext {
        guard let identity = NamespaceIdentity.current() else { return NamespaceContext(identity: nil, handle: nil) }
        // A thread in another namespace needs the handle to open sockets in this one.
        return namespace(of: identity) {
            try? NamespaceHandle(path: NamespaceIdentity.currentPath)
        }
    }

    /// The context of an open namespace.
    package func namespace(of handle: NamespaceHandle, overlay: String? = nil) -> NamespaceContext {
        namespace(of: handle.identity, overlay) { handle }
    }

    /// The context of this process that replaces one made before a fork.
    func namespace(like parent: NamespaceContext) -> NamespaceContext {
        guard let identity = parent.identity else { return NamespaceContext(identity: nil, handle: nil) }
        return namespace(of: identity, parent.overlay, parent.deviceTypes) { parent.handle }
    }

    /// - Parameter overlay: a named namespace has configuration files of its own (`NamespaceContext.overlay`).
    private func namespace(
        of identity: NamespaceIdentity, _ overlay: String? = nil, _ deviceTypes: DeviceTypes = DeviceTypes(),
        open: () -> NamespaceHandle?
    ) -> NamespaceContext {
        withoutCancellation {
            entries.withLock { entries in
                for entry in entries {
                    if let known = entry.namespace, known.identity == identity, known.overlay == overlay {
                        return known
                    }
                }
                entries.removeAll { $0.namespace == nil }
                let namespace = NamespaceContext(
                    identity: identity, handle: open(), overlay: overlay, deviceTypes: deviceTypes)
                entries.append(Entry(namespace: namespace))
                return namespace
            }
        }
    }
}
