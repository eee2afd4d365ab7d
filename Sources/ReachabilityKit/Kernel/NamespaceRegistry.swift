// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Finds the stack of a namespace, so that all references made in one share it. A stack goes with its last reference.
package final class NamespaceRegistry: Sendable {
    private struct Entries {
        var shared: [NamespaceIdentity: WeakStack] = [:]
        /// In the child of a fork: what stands for the parent's stacks. References of the parent hold those, so
        /// somebody has to hold these.
        var adopted: [ObjectIdentifier: (parent: NamespaceContext, child: NamespaceContext)] = [:]
    }

    private struct WeakStack {
        weak var namespace: NamespaceContext?
    }

    private let entries = Mutex(Entries())
    private let epoch: UInt64

    private init(epoch: UInt64) {
        self.epoch = epoch
    }

    // MARK: One registry per process

    private static let holder = unsafe Atomic<Unmanaged<NamespaceRegistry>?>(nil)

    /// The registry of this process. Another thread may have held the parent's lock at the moment of the fork, so a
    /// child makes itself a new registry and never looks at the old one again, not even to free it.
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

    // MARK: Stacks

    /// The stack of the calling thread's namespace.
    package func namespaceOfCallingThread() -> NamespaceContext {
        guard let identity = NamespaceIdentity.current() else { return NamespaceContext(identity: nil, handle: nil) }
        // The handle leads back here when a socket is needed later on a thread that is elsewhere.
        return namespace(of: identity) { try? NamespaceHandle(path: NamespaceIdentity.currentPath) }
    }

    /// The stack of a namespace that is open.
    package func namespace(of handle: NamespaceHandle) -> NamespaceContext {
        namespace(of: handle.identity) { handle }
    }

    private func namespace(of identity: NamespaceIdentity, open: () -> NamespaceHandle?) -> NamespaceContext {
        entries.withLock { entries in
            if let namespace = entries.shared[identity]?.namespace { return namespace }
            entries.shared = entries.shared.filter { $0.value.namespace != nil }
            let namespace = NamespaceContext(identity: identity, handle: open())
            entries.shared[identity] = WeakStack(namespace: namespace)
            return namespace
        }
    }

    /// This process's stack for one that was made before the fork.
    func adoption(of parent: NamespaceContext) -> NamespaceContext {
        entries.withLock { entries in
            if let known = entries.adopted[ObjectIdentifier(parent)] { return known.child }
            let child = parent.identity.flatMap { entries.shared[$0]?.namespace } ?? parent.forChild()
            entries.adopted[ObjectIdentifier(parent)] = (parent, child)
            return child
        }
    }
}
