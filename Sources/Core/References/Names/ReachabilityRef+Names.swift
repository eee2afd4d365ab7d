// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

extension ReachabilityRef {
    /// Makes a reference to a host by its name. The flags of a name are those of its best address.
    ///
    /// If the text is an address in any form that `inet_aton` accepts, the reference is to that address.
    ///
    /// - Parameters:
    ///   - hostname: a name such as `www.swift.org`, without a port.
    ///   - options: how packets to the host would be sent, and how its name is resolved.
    /// - Throws: ``ReachabilityError`` if the name can never be resolved, or an option cannot be used.
    public convenience init(
        hostname: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        beginWork()
        defer { endWork() }
        if AddressText(hostname) != nil {
            try self.init(address: hostname, options: options)
            return
        }
        let name: HostName
        do throws(HostNameError) {
            name = try HostName(hostname)
        } catch {
            throw ReachabilityError(.invalidTarget, "use the name", hostname, "\(error)")
        }
        try self.init(name: name, options: options)
    }

    /// Makes a reference from any text. An impossible name gives empty flags.
    package convenience init(
        lenientHostname hostname: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        beginWork()
        defer { endWork() }
        if let literal = AddressText(hostname, ignoringRest: true) {
            // inet_aton(3), and therefore Apple's function, ignores everything after white space that follows an address.
            let text = hostname.prefix { $0 != " " && !$0.isWhitespace }
            try self.init(address: literal.zone == nil ? String(text) : hostname, options: options)
            return
        }
        try self.init(name: HostName(lenient: hostname), options: options)
    }

    // MARK: The answer for a name

    /// The present answer for a name, after resolving it, which may take as long as the host's timeout.
    func verdict(on host: NamedHost) throws(ReachabilityError) -> Verdict {
        try verdict(on: host, resolution: resolution(of: host))
    }

    /// Resolves a name. Returns nil if the addresses are not known and no server is to be asked: while a scheduled name is being
    /// resolved for the first time, and under the optimistic policy.
    ///
    /// The caller disables cancellation of the thread, because others may wait for the lookup that this thread drives.
    package func resolution(of host: NamedHost) -> Resolution? {
        if let registration = workingRegistration { return registration.resolution }
        if host.policy == .optimistic { return host.resolver.known(host.query) }
        let deadline = SystemTime().now().advanced(by: host.timeout)
        return host.resolver.resolve(host.query, deadline: deadline, enough: host.enough(namespace, keys))
    }

    /// The present answer for a resolved name. Without a resolution, that for the default path.
    func verdict(on host: NamedHost, resolution: Resolution?) throws(ReachabilityError) -> Verdict {
        guard let resolution else { return try defaultPathVerdict() }
        if case .couldNotAsk(let error) = resolution.outcome { throw .kernel("resolve", host.name.description, error) }
        let addresses = host.counted(resolution.addresses)
        guard !addresses.isEmpty else {
            return Verdict(flags: [], reason: .unresolved(resolution))
        }
        return try ask { (kernel, here) throws(NetlinkError) in
            try kernel.verdict(
                on: addresses.map(host.target), keys: keys, keptIn: here.own.cell,
                serial: host.keep(resolution).serial
            )!
        }
    }

    /// The kept flags of a name, if its addresses and their routes are proved to be unchanged.
    func provedNameFlags(_ host: NamedHost) -> ReachabilityFlags? {
        guard let answer = host.answer else { return nil }
        if let registration = workingRegistration {
            guard registration.resolution === answer.resolution else { return nil }
        } else {
            guard host.resolver.isFresh(answer.resolution, at: SystemTime().now()) else { return nil }
        }
        return own.cachedKernel?.provedFlags(in: own.cell, serial: answer.serial)
    }
}

extension ReachabilityRef {
    fileprivate convenience init(name: HostName, options: ReachabilityOptions) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            var key = ResolverPool.Key(servers: nil, source: context.source, keys: context.keys)
            key.servers = try options.nameServers.map { (texts) throws(ReachabilityError) in
                try texts.map { (text) throws(ReachabilityError) in try context.server(text) }
            }
            return .name(
                NamedHost(
                    name: name, resolver: context.namespace.resolver(key), key: key,
                    timeout: options.resolutionTimeout, policy: options.resolutionPolicy, source: context.source,
                    family: options.family))
        }
    }
}

extension NamedHost {
    /// Whether one of the addresses known so far is reachable, so that a lookup need not wait for more.
    func enough(_ namespace: NamespaceContext, _ keys: RoutingKeys) -> @Sendable ([IPAddress]) -> Bool {
        { [weak namespace, self] found in
            let addresses = counted(found)
            guard !addresses.isEmpty else { return false }
            guard let kernel = try? namespace?.kernel() else { return false }
            let verdict = try? kernel.verdict(on: addresses.map(target), keys: keys)
            return verdict?.flags.rank == .reachable
        }
    }
}

extension ReachabilityRef {
    /// The name that has to be resolved before there can be an answer; nil if there is none. While a name is scheduled, its
    /// answers come from the addresses that it has; only `getFlags`, which must not block then, answers without any.
    package var hostToResolve: NamedHost? {
        guard case .name(let host) = subject, host.policy == .resolve,
            workingRegistration?.resolution?.addresses.isEmpty ?? true
        else { return nil }
        return host
    }

    /// Resolves the target's name without blocking the calling thread, and without a queue or a task.
    ///
    /// - Parameter completion: called once, with nil if there is nothing to resolve. It is called before this returns if no
    ///   server has to be asked, and otherwise on a thread of this package.
    /// - Returns: a token that ends the lookup early, with the outcome "cancelled". Nil if there is no lookup to end.
    /// - Throws: if no thread can be started. `completion` is not called then.
    @discardableResult
    package func resolve(
        _ completion: @escaping @Sendable (Resolution?) -> Void
    ) throws(ReachabilityError) -> CancellationToken? {
        try undisturbed { () throws(ReachabilityError) -> CancellationToken? in
            guard let host = hostToResolve else {
                completion(nil)
                return nil
            }
            switch host.resolver.begin(host.query, isEnough: \.isComplete) {
            case .answer(let known):
                completion(known)
                return nil
            case .ask(let plan): return try resolve(host, plan, completion)
            }
        }
    }

    private func resolve(
        _ host: NamedHost, _ plan: Resolver.Plan, _ completion: @escaping @Sendable (Resolution?) -> Void
    ) throws(ReachabilityError) -> CancellationToken? {
        let resolver = host.resolver
        let enough = host.enough(namespace, keys)
        let deadline = SystemTime().now().advanced(by: host.timeout)
        if let engine = try? namespace.sharedEngine.acquire(for: namespace) {
            let token = resolver.resolve(host.query, on: engine.loop, plan, deadline: deadline, enough: enough) {
                [namespace] resolution in
                // Released first, so that the completion finds nothing left running that was started for this lookup.
                namespace.sharedEngine.release()
                completion(resolution)
            }
            if let token { return token }
            // The engine has failed in the meantime.
            namespace.sharedEngine.release()
        }
        // No engine can run here, but a thread can resolve the name.
        try Self.onThread { completion(resolver.resolve(host.query, deadline: deadline, enough: enough)) }
        return nil
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityError) {
        do throws(Errno) {
            try Thread.start(name: "reachability", stackBytes: 512 << 10) { undisturbed(body) }.detach()
        } catch {
            throw .kernel("start a thread", "", error)
        }
    }

    /// The flags after `resolve`. The resolution is nil if there was nothing to resolve.
    package func flags(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> ReachabilityFlags {
        try undisturbed { () throws(ReachabilityError) in
            guard case .name(let host) = subject, let resolution else { return try getFlags() }
            return try verdict(on: host, resolution: resolution).flags
        }
    }

    /// The answer after `resolve`.
    package func verdict(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Verdict {
        try undisturbed { () throws(ReachabilityError) in
            guard case .name(let host) = subject, let resolution else { return try currentVerdict() }
            return try verdict(on: host, resolution: resolution)
        }
    }
}

/// A lookup for which a task is suspended.
private final class AwaitedResolution: Sendable {
    /// The continuation could carry it too. But if that is resumed before the task has suspended, Thread Sanitizer does not see
    /// the order of the two (swift_continuation_await, Swift 6.3).
    let result = ConditionLock<Result<Resolution?, ReachabilityError>?>(nil)
    let lookup = Lock<CancellationToken?>(nil)
}

extension ReachabilityRef {
    /// The present flags, without blocking a thread while a name is being resolved.
    ///
    /// ```swift
    /// let flags = try await ref.flags()
    /// ```
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked, or with the code `cancelled`.
    public func flags() async throws(ReachabilityError) -> ReachabilityFlags {
        try flags(resolvedTo: await resolutionWithoutBlocking())
    }

    /// The present flags and the reason for them, like ``getFlagsAndReason()``, without blocking a thread.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked, or with the code `cancelled`.
    public func flagsAndReason() async throws(ReachabilityError) -> (flags: ReachabilityFlags, reasonCode: String) {
        let verdict = try verdict(resolvedTo: await resolutionWithoutBlocking())
        return (verdict.flags, verdict.reason.code)
    }

    /// Resolves the target's name, if necessary, while the task is suspended.
    package func resolutionWithoutBlocking() async throws(ReachabilityError) -> Resolution? {
        guard let host = undisturbed({ hostToResolve }) else { return nil }
        let plan: Resolver.Plan
        switch undisturbed({ host.resolver.begin(host.query, isEnough: \.isComplete) }) {
        case .answer(let known): return known
        case .ask(let made): plan = made
        }
        let awaited = undisturbed { AwaitedResolution() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let finish: @Sendable (Result<Resolution?, ReachabilityError>) -> Void = { found in
                    awaited.result.withLock { $0 = found }
                    continuation.resume()
                }
                do throws(ReachabilityError) {
                    let token = try undisturbed { () throws(ReachabilityError) in
                        try resolve(host, plan) { finish(.success($0)) }
                    }
                    awaited.lookup.withLock { $0 = token }
                    // If the task was cancelled before, the handler below found no token.
                    if Task.isCancelled { token?.cancel() }
                } catch {
                    finish(.failure(error))
                }
            }
        } onCancel: {
            awaited.lookup.withLock(\.self)?.cancel()
        }
        guard let resolution = try awaited.result.withLock(\.self)?.get() else { return nil }
        if resolution.outcome == .cancelled {
            throw ReachabilityError(.cancelled, "resolve", host.name.description, "the task was cancelled")
        }
        return resolution
    }
}
