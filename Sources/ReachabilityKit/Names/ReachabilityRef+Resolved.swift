// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem

/// For a program that asks about many names at once and waits in a way of its own.
extension ReachabilityRef {
    /// Begins to resolve the target's name on the engine's thread, and calls `completion` there.
    ///
    /// - Returns: what has to be kept until then. Nil where there is nothing to wait for, or the engine cannot be started:
    ///   then the calling thread can ask, and an error says why where it cannot either.
    package func beginResolving(_ completion: @escaping @Sendable (Resolution) -> Void) -> EngineLease? {
        guard case .name(let host) = target, host.policy == .resolve, !isScheduled,
            host.resolver.known(host.name)?.isComplete != true, let lease = try? EngineLease(stack)
        else { return nil }
        _ = host.resolver.resolve(
            host.name, on: lease.loop, deadline: SystemTime().now().advanced(by: host.patience),
            enough: host.enough(stack, keys), completion: completion)
        return lease
    }

    /// The flags of a name by what it was resolved to.
    package func flags(of resolution: Resolution) throws(ReachabilityError) -> ReachabilityFlags {
        guard case .name(let host) = target else { return try getFlags() }
        return try verdict(on: host, resolution: resolution).flags
    }

    /// The explanation of a name by what it was resolved to.
    package func explanation(of resolution: Resolution) throws(ReachabilityError) -> Explanation {
        guard case .name(let host) = target else { return try explain() }
        return try explain(host, resolution)
    }
}
