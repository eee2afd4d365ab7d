// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink
package import ReachabilityResolverFiles
import ReachabilitySystemBus

/// Reads the path of one network namespace, once or at each change.
package struct PathSource: Sendable {
    private let made: NamespaceContext
    package var namespace: NamespaceContext { made.here }

    /// The path of the calling thread's namespace.
    package init() {
        beginWork()
        defer { endWork() }
        made = NamespaceRegistry.current.namespaceOfCallingThread()
    }

    package init(of namespace: NamespaceContext) { made = namespace }

    /// The present path.
    ///
    /// - Parameter hintTimeout: how long to wait for NetworkManager's hints; nil to not ask.
    package func current(hintTimeout: Duration? = nil) throws(ReachabilityError) -> NetworkPath {
        try undisturbed { () throws(ReachabilityError) in try readPath(hintTimeout: hintTimeout) }
    }

    private func readPath(hintTimeout: Duration?) throws(ReachabilityError) -> NetworkPath {
        let namespace = namespace
        let kernel = try namespace.kernel()
        let servers = try namespace.presentResolvConf().servers
        var facts: PathFacts
        do throws(NetlinkError) {
            facts = try kernel.withRouteClient { (socket) throws(NetlinkError) in
                var reader = PathFactsReader(in: namespace)
                return try reader.facts(asking: socket, servers: servers)
            }
        } catch {
            throw ReachabilityError(error, object: "the network path")
        }
        // Not earlier: a thread that holds a route client must not wait.
        if let hintTimeout {
            facts.hints = ManagedInterfaces.interfaces(namespace.managedInterfaces, timeout: hintTimeout)
        }
        return NetworkPath(facts)
    }

    /// Calls `body` on the engine's thread with the present state of the path as soon as it is known, and then with each change.
    /// Cancelling the returned token ends the calls; one that the engine is about to make may still begin.
    ///
    /// - Parameter failed: called if the engine fails. Nothing follows.
    package func observeAll(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (ObservedPath) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        try undisturbed { () throws(ReachabilityError) -> CancellationToken in
            // Reads the configuration files before the engine opens descriptors. The files are kept as long as the token lives,
            // so that their contents are known even if they cannot be opened again.
            let namespace = namespace
            let files = namespace.configurationFiles
            let engine = try namespace.sharedEngine.acquire(for: namespace)
            let observer = Observer(ofPath: body, failed: failed)
            engine.addToPath(observer)
            return CancellationToken {
                observer.end()
                withExtendedLifetime(files) { namespace.sharedEngine.present?.removeFromPath(observer) }
                namespace.sharedEngine.release()
            }
        }
    }

    /// Calls `body` on the engine's thread with the present path, and then with each change of it.
    ///
    /// - Parameter refused: called when the kernel begins to refuse to answer. The next call of `body` means that the refusal has
    ///   ended.
    package func observe(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        refused: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (NetworkPath) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        let last = Lock<(number: UInt32, isRefused: Bool)>((0, false))
        return try observeAll(failed: failed) { new in
            let before = last.withLock { last in
                defer { last = (new.number, new.refusal != nil) }
                return last
            }
            if let refusal = new.refusal {
                if !before.isRefused { refused(refusal) }
            } else if new.number != before.number || before.isRefused {
                body(new.path)
            }
        }
    }

    /// Starts the engine of the namespace, and keeps it running as long as the result lives.
    package func engine() throws(ReachabilityError) -> EngineAccess { try EngineAccess(namespace) }

    /// What the engine has done so far.
    package var statistics: ReachabilityStatistics { namespace.statistics }
}

extension Observer {
    package convenience init(
        ofPath body: @escaping @Sendable (ObservedPath) -> Void,
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in }
    ) {
        self.init(failed: failed) { watch, _ in
            if let observed = (watch as? PathWatcher)?.observed { body(observed) }
        }
    }
}

extension Engine {
    package func addToPath(_ subscriber: any Subscriber) {
        if !loop.enqueue({ [core] in core.paths.add(subscriber) }), let failure { subscriber.end(because: failure) }
    }

    package func removeFromPath(_ subscriber: any Subscriber) {
        loop.enqueue { [core] in core.paths.remove(subscriber) }
    }
}

extension NamespaceContext {
    /// How to reach NetworkManager in this namespace.
    var managedInterfaces: ManagedInterfaces.Access {
        ManagedInterfaces.Access(
            connect: { [self] in
                (try? inside { [systemBus] () throws(NetlinkError) in BusSocket.connect(to: systemBus) }) ?? .absent
            },
            index: { [self] in index(of: $0) })
    }

    /// The present contents of resolv.conf. A resolver or a path watcher has them; without one, the file is read here. Fails if
    /// it cannot be read because descriptors or memory are exhausted.
    package func presentResolvConf() throws(ReachabilityError) -> ResolvConf {
        do throws(Errno) {
            if let files = presentFiles { return try files.current.knownResolvConf }
            return try resolverEnvironment.readResolvConf()
        } catch {
            throw .kernel("read", resolverEnvironment.resolvConfPath, error)
        }
    }
}
