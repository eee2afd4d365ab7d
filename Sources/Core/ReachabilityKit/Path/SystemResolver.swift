// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

extension NamespaceContext {
    private static let systemKey = ResolverPool.Key(servers: nil, device: nil, source: nil, keys: RoutingKeys())

    /// The resolver with the configuration of the system's files.
    var systemResolver: Resolver { resolver(Self.systemKey) }

    /// What resolv.conf says now. If there is a resolver of the system's files, it has the contents already. Otherwise the
    /// file is read. Fails if it cannot be read for want of descriptors or memory.
    func presentResolvConf() throws(ReachabilityError) -> ResolvConf {
        do throws(Errno) {
            if let resolver = resolvers.existing(Self.systemKey) { return try resolver.knownResolvConf() }
            return try resolverEnvironment.readResolvConf()
        } catch {
            throw .kernel("read", resolverEnvironment.resolvConfPath, error)
        }
    }
}
