// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityResolverFiles
import ReachabilitySystemBus
import Synchronization

/// One network namespace as seen by one process. All references made in the namespace share it.
package final class NamespaceContext: Sendable {
    /// Nil if neither /proc nor a socket shows in which namespace the caller is. Such a context is not shared.
    package let identity: NamespaceIdentity?
    package let handle: NamespaceHandle?
    /// The directory whose resolver files are used here instead of those in /etc (ip-netns(8)).
    let overlay: String?
    private let epoch = ForkEpoch()
    private let successor = AtomicLazyReference<NamespaceContext>()
    package let deviceTypes: DeviceTypes
    let sockets: KernelSockets
    private let opened = AtomicLazyReference<KernelAccess>()
    package let sharedEngine = SharedEngine()
    /// The environment of the process is read here, on a client's thread, because setenv(3) may move the variables while the
    /// engine's thread reads them.
    private let resolverDefaults = ResolverEnvironment()
    private let sharedFiles = Lock(SharedFiles())
    private let added = Lock<(any AnyObject & Sendable)?>(nil)

    private struct SharedFiles {
        weak var files: ConfigurationFiles?
    }
    let systemBus = BusAddress.ofSystem
    /// The last property, because stored properties are released in the order of their declaration.
    private let released = EndOfRelease()

    package init(
        identity: NamespaceIdentity?, handle: NamespaceHandle?, overlay: String? = nil,
        deviceTypes: DeviceTypes = DeviceTypes(), sockets: KernelSockets = KernelSockets()
    ) {
        (self.identity, self.handle, self.overlay) = (identity, handle, overlay)
        (self.deviceTypes, self.sockets) = (deviceTypes, sockets)
        // In the child of a fork, a context is never released. Its first release takes a lock of Swift's runtime, which a thread
        // of the parent may have held at the fork: children were seen to wait for it for ever (`make forks`).
        if ForkEpoch.isChild { ForkEpoch.abandon(self) }
    }

    // A fork waits for the release, for the same reason. A context may be released last by something other than a reference: a
    // `PathSource`, or a reference that could not be made.
    deinit { EndOfRelease.begin() }

    /// Whether this was made in this process, and not in the parent of a fork.
    @inline(__always)
    package var isThisProcess: Bool { epoch.isCurrent }

    /// This context; in the child of a fork, the child's own context of the same namespace.
    package var here: NamespaceContext {
        if isThisProcess { return self }
        return (successor.load() ?? successor.storeIfNil(NamespaceRegistry.current.namespace(like: self))).here
    }

    /// The namespace's sockets, which can be reached only through this function.
    ///
    /// They are opened when they are first needed, and stay open. If opening fails, the next call tries again.
    package func kernel() throws(ReachabilityError) -> KernelAccess {
        if let opened = opened.load() { return opened }
        do throws(NetlinkError) {
            return opened.storeIfNil(try inside { () throws(NetlinkError) in try self.openKernel() })
        } catch {
            throw ReachabilityError(error)
        }
    }

    /// How the kernel is asked, for output; nil before the first request.
    package var lookupMethod: LookupMethod? { opened.load()?.lookupMethod }

    private func openKernel() throws(NetlinkError) -> KernelAccess {
        let readDefaults = { [handle] () throws(Errno) in try SocketDefaults(in: handle) }
        let connected = ConnectedRequester(in: NamespacePlace(identity: identity, handle: handle))
        return try KernelAccess(
            deviceTypes: deviceTypes, socketDefaults: readDefaults, connected: connected, sockets: sockets
        ) { [weak self] () throws(NetlinkError) in
            guard let self else { throw .system(.open, .badDescriptor) }
            return try inside(sockets.requester)
        }
    }

    /// Runs `body` on a thread that is in this namespace.
    package func inside<Value>(
        _ body: @escaping @Sendable () throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        try NamespacePlace(identity: identity, handle: handle).inside(body)
    }

    /// The index of an interface of this namespace by its name; nil if there is none.
    func index(of name: String) -> InterfaceIndex? {
        let found = try? inside { () throws(NetlinkError) in try? Interfaces.index(of: name) }
        return found.flatMap(InterfaceIndex.init)
    }
}

extension NamespaceContext {
    /// Everything that resolvers in this namespace depend on.
    package var resolverEnvironment: ResolverEnvironment {
        var environment = resolverDefaults
        environment.namespace = handle
        environment.overlay = overlay
        return environment
    }

    /// The configuration files; nil if nothing uses them now.
    package var presentFiles: ConfigurationFiles? { sharedFiles.withLock { $0.files } }

    /// The configuration files, which all users share. They are read if nothing keeps them yet.
    package var configurationFiles: ConfigurationFiles {
        configurationFiles { ConfigurationFiles(resolverEnvironment) }
    }

    package func configurationFiles(_ make: () -> ConfigurationFiles) -> ConfigurationFiles {
        if let known = presentFiles { return known }
        let made = make()
        return sharedFiles.withLock { shared in
            if let known = shared.files { return known }
            shared.files = made
            return made
        }
    }

    /// An object that a module above stores here, made at the first call. There is only one type of addition.
    package func addition<Addition: AnyObject & Sendable>(_ make: () -> Addition) -> Addition {
        if let known = added.withLock(\.self) as? Addition { return known }
        let made = make()
        return added.withLock { added in
            if let known = added as? Addition { return known }
            added = made
            return made
        }
    }
}

/// Finds the context of a namespace, which all references made there share. A context is released with its last reference.
package final class NamespaceRegistry: Sendable {
    /// A process uses only a handful of namespaces, so they are searched one by one.
    private struct Entry {
        weak var namespace: NamespaceContext?
    }

    private let entries = Lock<[Entry]>([])
    private let epoch = ForkEpoch()

    private init() {}

    // MARK: One registry per process

    private static let holder = unsafe Atomic<Unmanaged<NamespaceRegistry>?>(nil)

    /// The registry of this process. A thread of the parent may have held its lock at the fork, so a child makes a new registry.
    /// The child never touches the old one again, not even to free it.
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

    /// All existing contexts of a namespace.
    package func namespaces(of identity: NamespaceIdentity) -> [NamespaceContext] {
        entries.withLock { $0.compactMap(\.namespace).filter { $0.identity == identity } }
    }

    /// The context of an open namespace.
    package func namespace(of handle: NamespaceHandle, overlay: String? = nil) -> NamespaceContext {
        namespace(of: handle.identity, overlay) { handle }
    }

    /// This process's replacement for a context that was made before a fork.
    func namespace(like parent: NamespaceContext) -> NamespaceContext {
        guard let identity = parent.identity else { return NamespaceContext(identity: nil, handle: nil) }
        return namespace(of: identity, parent.overlay, parent.deviceTypes) { parent.handle }
    }

    /// - Parameter overlay: the directory with the configuration files of a named namespace (`NamespaceContext.overlay`).
    private func namespace(
        of identity: NamespaceIdentity, _ overlay: String? = nil, _ deviceTypes: DeviceTypes = DeviceTypes(),
        open: () -> NamespaceHandle?
    ) -> NamespaceContext {
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
