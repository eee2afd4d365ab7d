// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
import Synchronization

extension ReachabilityRef {
    /// Makes a reference to a host by its name. The flags of a name are those of its best address.
    ///
    /// If the text is an address, in any form that `inet_aton` accepts, the reference is to that address.
    ///
    /// - Parameters:
    ///   - hostname: a name such as `www.swift.org`, without a port.
    ///   - options: how packets to the host would be sent, and how its name is resolved.
    /// - Throws: ``ReachabilityError`` if the name can never resolve, or an option cannot be used.
    public convenience init(
        hostname: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
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

    /// Makes a reference to any text. The flags of an impossible name are 0.
    package convenience init(
        lenientHostname hostname: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        if let literal = AddressText(hostname, ignoringRest: true) {
            // inet_aton(3), and therefore Apple's function, ignores what follows an address and a blank.
            let text = hostname.prefix { $0 != " " && !$0.isWhitespace }
            try self.init(address: literal.zone == nil ? String(text) : hostname, options: options)
            return
        }
        try self.init(name: HostName(lenient: hostname), options: options)
    }

    // MARK: The answer for a name

    /// The present verdict on a name, after resolving it, which may take as long as the host's timeout.
    func verdict(on host: NamedHost) throws(ReachabilityError) -> Verdict {
        try verdict(on: host, resolution: resolution(of: host))
    }

    /// Resolves a name. Returns nil if the addresses are not known and no server is to be asked: while a scheduled name
    /// is being resolved for the first time, and under the optimistic policy.
    ///
    /// The caller disables cancellation of the thread: others may wait for the lookup that this one drives.
    func resolution(of host: NamedHost) -> Resolution? {
        if isScheduled, let registration = here.own.client.withLock(\.registration) { return registration.resolution }
        if host.policy == .optimistic { return host.resolver.known(host.query) }
        let deadline = SystemTime().now().advanced(by: host.timeout)
        return host.resolver.resolve(host.query, deadline: deadline, enough: host.enough(namespace, keys))
    }

    /// The present verdict on a resolved name. Without a resolution, that on the default path.
    func verdict(on host: NamedHost, resolution: Resolution?) throws(ReachabilityError) -> Verdict {
        guard let resolution else { return try defaultPathVerdict() }
        if case .couldNotAsk(let error) = resolution.outcome { throw .kernel("resolve", host.name.description, error) }
        let addresses = host.counted(resolution.addresses)
        guard !addresses.isEmpty else {
            return Verdict(flags: [], reason: .unresolved(resolution))
        }
        return try bestVerdict(on: addresses.lazy.map(host.target), tag: host.keep(resolution).serial)!
    }

    /// The flags kept for a name, if its addresses and their routes are proved to be unchanged.
    func provedNameFlags(_ host: NamedHost, _ kernel: KernelAccess) -> ReachabilityFlags? {
        guard let answer = host.answer else { return nil }
        if own.hasRegistration.load(ordering: .acquiring) {
            guard own.client.withLock({ $0.registration?.resolution }) === answer.resolution else { return nil }
        } else {
            guard answer.resolution.isFresh(at: SystemTime().now()) else { return nil }
        }
        return kernel.provedFlags(in: own.cell, tag: answer.serial)
    }
}

extension ReachabilityRef {
    fileprivate convenience init(name: HostName, options: ReachabilityOptions) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            var key = ResolverPool.Key(
                servers: nil, device: options.interface, source: context.source, keys: context.keys)
            key.servers = try options.nameServers.map { (texts) throws(ReachabilityError) in
                try texts.map { (text) throws(ReachabilityError) in try context.server(text) }
            }
            return .name(
                NamedHost(
                    name: name, resolver: context.namespace.resolver(key), key: key,
                    timeout: options.resolutionTimeout, policy: options.resolutionPolicy, source: context.source,
                    families: options.families))
        }
    }
}
