// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Finds the stack of a namespace, so that all references made in one share it. A stack goes with its last reference.
package final class StackRegistry: Sendable {
    private struct Entries {
        var shared: [NamespaceIdentity: WeakStack] = [:]
        /// In the child of a fork: what stands for the parent's stacks. References of the parent hold those, so
        /// somebody has to hold these.
        var adopted: [ObjectIdentifier: (parent: NetworkStack, child: NetworkStack)] = [:]
    }

    private struct WeakStack {
        weak var stack: NetworkStack?
    }

    private let entries = Mutex(Entries())
    private let epoch: UInt64

    private init(epoch: UInt64) {
        self.epoch = epoch
    }

    // MARK: One registry per process

    private static let holder = unsafe Atomic<Unmanaged<StackRegistry>?>(nil)

    /// The registry of this process. Another thread may have held the parent's lock at the moment of the fork, so a
    /// child makes itself a new registry and never looks at the old one again, not even to free it.
    package static var current: StackRegistry {
        let epoch = ForkEpoch.current
        while true {
            let present = unsafe holder.load(ordering: .acquiring)
            if let registry = unsafe present?.takeUnretainedValue(), registry.epoch == epoch { return registry }
            let fresh = unsafe Unmanaged.passRetained(StackRegistry(epoch: epoch))
            let (exchanged, _) = unsafe holder.compareExchange(
                expected: present, desired: fresh, ordering: .acquiringAndReleasing)
            if exchanged { return unsafe fresh.takeUnretainedValue() }
            unsafe fresh.release()
        }
    }

    // MARK: Stacks

    /// The stack of the calling thread's namespace.
    package func stackOfCallingThread() -> NetworkStack {
        guard let identity = NamespaceIdentity.current() else { return NetworkStack(identity: nil, handle: nil) }
        // The handle leads back here when a socket is needed later on a thread that is elsewhere.
        return stack(of: identity) { try? NamespaceHandle(path: NamespaceIdentity.currentPath) }
    }

    /// The stack of a namespace that is open.
    package func stack(of handle: NamespaceHandle) -> NetworkStack {
        stack(of: handle.identity) { handle }
    }

    private func stack(of identity: NamespaceIdentity, open: () -> NamespaceHandle?) -> NetworkStack {
        entries.withLock { entries in
            if let stack = entries.shared[identity]?.stack { return stack }
            entries.shared = entries.shared.filter { $0.value.stack != nil }
            let stack = NetworkStack(identity: identity, handle: open())
            entries.shared[identity] = WeakStack(stack: stack)
            return stack
        }
    }

    /// This process's stack for one that was made before the fork.
    func adoption(of parent: NetworkStack) -> NetworkStack {
        entries.withLock { entries in
            if let known = entries.adopted[ObjectIdentifier(parent)] { return known.child }
            let child = parent.identity.flatMap { entries.shared[$0]?.stack } ?? parent.forChild()
            entries.adopted[ObjectIdentifier(parent)] = (parent, child)
            return child
        }
    }
}
