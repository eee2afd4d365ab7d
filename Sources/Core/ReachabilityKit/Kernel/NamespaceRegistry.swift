// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Finds the context of a namespace, which all references made there share. A context goes with its last reference.
package final class NamespaceRegistry: Sendable {
    private struct Entries {
        var shared: [Key: WeakContext] = [:]
        /// In the child of a fork: the contexts that replace the parent's. Only the parent's contexts are retained by
        /// references, so both are retained here.
        var adopted: [ObjectIdentifier: (parent: NamespaceContext, child: NamespaceContext)] = [:]
    }

    /// A named namespace has configuration files of its own (`NamespaceContext.overlay`).
    private struct Key: Hashable {
        let identity: NamespaceIdentity
        let overlay: String?
    }

    private struct WeakContext {
        weak var namespace: NamespaceContext?
    }

    private let entries = Mutex(Entries())
    private let epoch: UInt64

    private init(epoch: UInt64) {
        self.epoch = epoch
    }

    // MARK: One registry per process

    private static let holder = unsafe Atomic<Unmanaged<NamespaceRegistry>?>(nil)

    /// The registry of this process. A thread of the parent may have held the lock at the moment of the fork, so a child
    /// makes a new registry. It never touches the old one again, not even to free it.
    package static var current: NamespaceRegistry {
        let epoch = ForkEpoch.current
        while true {
            let present = unsafe holder.load(ordering: .acquiring)
            if let registry = unsafe present?.takeUnretainedValue(), registry.epoch == epoch { return registry }
            let fresh = unsafe Unmanaged.passRetained(NamespaceRegistry(epoch: epoch))
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
        return namespace(of: Key(identity: identity, overlay: nil)) {
            try? NamespaceHandle(path: NamespaceIdentity.currentPath)
        }
    }

    /// The context of an open namespace.
    package func namespace(of handle: NamespaceHandle, overlay: String? = nil) -> NamespaceContext {
        namespace(of: Key(identity: handle.identity, overlay: overlay)) { handle }
    }

    private func namespace(of key: Key, open: () -> NamespaceHandle?) -> NamespaceContext {
        withoutCancellation {
            entries.withLock { entries in
                if let namespace = entries.shared[key]?.namespace { return namespace }
                entries.shared = entries.shared.filter { $0.value.namespace != nil }
                let namespace = NamespaceContext(identity: key.identity, handle: open(), overlay: key.overlay)
                entries.shared[key] = WeakContext(namespace: namespace)
                return namespace
            }
        }
    }

    /// The context of this process that replaces one made before the fork.
    func adoption(of parent: NamespaceContext) -> NamespaceContext {
        entries.withLock { entries in
            if let known = entries.adopted[ObjectIdentifier(parent)] { return known.child }
            let child =
                parent.identity.flatMap { entries.shared[Key(identity: $0, overlay: parent.overlay)]?.namespace }
                ?? parent.forChild()
            entries.adopted[ObjectIdentifier(parent)] = (parent, child)
            return child
        }
    }
}
