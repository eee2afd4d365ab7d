// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

extension ReachabilityRef {
    /// Asks in more detail than ``getFlags()``, and explains why each flag is set. The flags are part of the explanation, so one
    /// call is enough.
    ///
    /// Like ``getFlags()``, this blocks the thread while a name is being resolved. In async code use ``explanation()``.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked.
    public func explain() throws(ReachabilityError) -> Explanation {
        try undisturbed { () throws(ReachabilityError) in
            switch subject {
            case .target(let target): return try explain(target)
            case .name(let host): return try explain(host, resolution(of: host))
            }
        }
    }

    /// Explains the flags like ``explain()``, without blocking a thread while a name is being resolved.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked, or with the code `cancelled`.
    public func explanation() async throws(ReachabilityError) -> Explanation {
        try explanation(resolvedTo: await resolutionWithoutBlocking())
    }

    /// The explanation after `resolve`.
    package func explanation(resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Explanation {
        try undisturbed { () throws(ReachabilityError) in
            guard case .name(let host) = subject, let resolution else { return try explain() }
            return try explain(host, resolution)
        }
    }

    /// The present answer with its reasons. For a name, it is about the addresses in `state`, and the name is not resolved again.
    package func explanation(after state: ObservedState) throws(ReachabilityError) -> Explanation {
        try explanation(resolvedTo: state.resolution)
    }

    // MARK: Paths

    private func explain(_ target: Target) throws(ReachabilityError) -> Explanation {
        let kernel = try namespace.kernel()
        do throws(NetlinkError) {
            let (lookup, names) = try kernel.withRouteClient { (socket) throws(NetlinkError) in
                var lookups = [TargetLookup(target, keys: keys, isRecorded: true)]
                try socket.answer(&lookups)
                _ = try lookups[0].outcome.get()
                var names: [InterfaceIndex: String] = [:]
                for index in Self.interfaces(in: lookups[0].records) {
                    names[index] = try socket.facts(of: index)?.name
                }
                return (lookups[0], names)
            }
            var portsDecide = false
            if case .route(let route)? = lookup.answer, route.hasSeveralHops {
                portsDecide = namespace.hashesPorts(route.family)
            }
            return Explanation(
                of: target, lookup, names: names, portsDecide: portsDecide, lookupMethod: kernel.lookupMethod)
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
    }

    private static func interfaces(in lookupRecord: [LookupRecord]) -> Set<InterfaceIndex> {
        var indices: Set<InterfaceIndex> = []
        for item in lookupRecord {
            for index in [item.query.interface, item.verdict?.interface, item.link?.index, item.link?.master] {
                if let index { indices.insert(index) }
            }
            if case .route(let route) = item.answer, let index = route.interface { indices.insert(index) }
        }
        return indices
    }

    // MARK: Names

    private func explain(_ host: NamedHost, _ resolution: Resolution?) throws(ReachabilityError) -> Explanation {
        guard let resolution else {
            // The name has not been resolved, so the answer is that for the default path.
            let path = try explain(.defaultPath)
            let note = Explanation.Step("name", "not resolved; the answer is that of the default path")
            return path.renamed(host.name.description, before: [note], addresses: [])
        }
        if case .couldNotAsk(let error) = resolution.outcome { throw .kernel("resolve", host.name.description, error) }
        var servers: [(ServerAddress, String)] = []
        // An answer from the hosts file needs no server.
        for server in resolution.servers where resolution.origin == .dns || resolution.origin == .none {
            servers.append((server, state(of: Target(server.address))))
        }
        var each: [(address: IPAddress, explanation: Explanation)] = []
        var failure: ReachabilityError?
        for address in host.counted(resolution.addresses) {
            do throws(ReachabilityError) {
                each.append((address, try explain(host.target(for: address))))
            } catch {
                failure = failure ?? error
            }
        }
        // An address about which the kernel could not be asked might be better than those that are not reachable.
        if let failure, !each.contains(where: \.explanation.flags.isReachable) { throw failure }
        return Explanation(
            of: host, resolution, servers: servers, addresses: each,
            lookupMethod: try namespace.kernel().lookupMethod, at: SystemTime().now())
    }

    private func state(of server: Target) -> String {
        do throws(ReachabilityError) { return "\(try explain(server).flags)" } catch { return "\(error)" }
    }
}

extension NamespaceContext {
    /// Whether the kernel chooses among the hops of a route by a hash that includes ports (fib_multipath_hash_policy in
    /// Documentation/networking/ip-sysctl.rst of the kernel). False where that cannot be read.
    fileprivate func hashesPorts(_ family: AddressFamily) -> Bool {
        let path = "/proc/sys/net/\(family == .v4 ? "ipv4" : "ipv6")/fib_multipath_hash_policy"
        let bytes = try? inside { () throws(NetlinkError) in try? Files.contents(of: path, limit: 16) }
        let policy = bytes.flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return policy.hasPrefix("1") || policy.hasPrefix("3")
    }
}
