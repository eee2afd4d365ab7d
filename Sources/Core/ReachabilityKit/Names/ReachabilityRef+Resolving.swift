// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import LinuxSystem

extension ReachabilityRef {
    /// The name that has to be resolved before an answer can be given. Nil if there is none.
    var hostToResolve: NamedHost? {
        guard case .name(let host) = target, host.policy == .resolve, !isScheduled else { return nil }
        return host
    }

    /// Resolves the target's name without blocking the calling thread, and without a queue or a task.
    ///
    /// - Parameter completion: called once, with nil if there is nothing to resolve. It is called inside this call if
    ///   no server has to be asked, and otherwise on a thread of this package.
    /// - Returns: ends the lookup early, with the outcome "cancelled". Nil if there is no lookup to end.
    /// - Throws: if no thread can be started. `completion` is not called then.
    @discardableResult
    package func resolve(
        _ completion: @escaping @Sendable (Resolution?) -> Void
    ) throws(ReachabilityError) -> CancellationToken? {
        guard let host = hostToResolve else {
            completion(nil)
            return nil
        }
        let resolver = host.resolver
        if let known = resolver.known(host.query), known.isComplete {
            completion(known)
            return nil
        }
        let enough = host.enough(namespace, keys)
        let deadline = SystemTime().now().advanced(by: host.timeout)
        guard let engine = try? namespace.sharedEngine.acquire(for: namespace) else {
            // No engine can run here, but a thread can resolve the name.
            try Self.onThread { completion(resolver.resolve(host.query, deadline: deadline, enough: enough)) }
            return nil
        }
        return resolver.resolve(host.query, on: engine.loop, deadline: deadline, enough: enough) {
            [namespace] resolution in
            // Released first, so that the completion finds nothing running that was started for this lookup.
            namespace.sharedEngine.release()
            completion(resolution)
        }
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityError) {
        do throws(Errno) {
            try Thread.start(name: "reachability", stackBytes: 512 << 10, body).detach()
        } catch {
            throw .kernel("start a thread", "", error)
        }
    }

    /// The flags after `resolve`. The resolution is nil if there was nothing to resolve.
    package func flags(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> ReachabilityFlags {
        guard case .name(let host) = target, let resolution else { return try getFlags() }
        return try verdict(on: host, resolution: resolution).flags
    }

    /// The verdict after `resolve`.
    package func verdict(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Verdict {
        guard case .name(let host) = target, let resolution else { return try currentVerdict() }
        return try verdict(on: host, resolution: resolution)
    }

    /// The explanation after `resolve`.
    package func explanation(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Explanation {
        guard case .name(let host) = target, let resolution else { return try explain() }
        return try explain(host, resolution)
    }
}
