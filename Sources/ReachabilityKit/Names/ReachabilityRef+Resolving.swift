// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem

extension ReachabilityRef {
    /// The name that has to be resolved before an answer can be given; nil where there is none.
    var hostToResolve: NamedHost? {
        guard case .name(let host) = target, host.policy == .resolve, !isScheduled else { return nil }
        return host
    }

    /// Has the target's name resolved without blocking the calling thread. No queue and no task is needed for it.
    ///
    /// - Parameter tell: called once, with nil where there is nothing to resolve: inside this call where no server has
    ///   to be asked, else on a thread of ours.
    /// - Returns: ends the lookup early, with the outcome "cancelled"; nil where there is no lookup to end.
    /// - Throws: where no thread can be had for it. `tell` is not called then.
    @discardableResult
    package func resolve(_ tell: @escaping @Sendable (Resolution?) -> Void) throws(ReachabilityError) -> LookupToken? {
        guard let host = hostToResolve else {
            tell(nil)
            return nil
        }
        let resolver = resolver(for: host)
        if let known = resolver.known(host.name), known.isComplete {
            tell(known)
            return nil
        }
        let enough = host.enough(namespace, keys)
        let deadline = SystemTime().now().advanced(by: host.patience)
        guard let engine = try? namespace.sharedEngine.acquire(for: namespace) else {
            // Changes cannot be heard here, but a thread can still ask.
            try Self.onThread { tell(resolver.resolve(host.name, deadline: deadline, enough: enough)) }
            return nil
        }
        return resolver.resolve(host.name, on: engine.loop, deadline: deadline, enough: enough) {
            [namespace] resolution in
            // Before the caller is told, so that nothing started for this lookup is running any more.
            namespace.sharedEngine.release()
            tell(resolution)
        }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityError) {
        do throws(Errno) {
            try Thread.start(name: "reachability", stackBytes: 512 << 10, body).detach()
        } catch {
            throw .kernel("start a thread", "", error)
        }
    }

    /// The flags, once the name has been resolved; nil where there was nothing to resolve.
    package func flags(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> ReachabilityFlags {
        guard case .name(let host) = target, let resolution else { return try getFlags() }
        return try verdict(on: host, resolution: resolution).flags
    }

    /// The same with its reasons.
    package func explanation(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Explanation {
        guard case .name(let host) = target, let resolution else { return try explain() }
        return try explain(host, resolution)
    }
}
