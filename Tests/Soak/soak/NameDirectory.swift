// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit
import Synchronization
import TestHosts
import TestTopology

/// The name server and the configuration files of a namespace.
final class NameDirectory {
    private let fixture = ResolverFixture()
    private let server: ScriptedDNSServer
    private let served: Served
    private let namespace: NamespaceContext
    /// Every reference in the namespace uses this one.
    private let resolver: Resolver
    private(set) var names: [String: [String]] = [:]

    /// What the server's thread reads.
    private final class Served: Sendable {
        let addresses = Mutex<[String: [IPAddress]]>([:])
    }

    /// Has to be made on a thread of the namespace.
    init(in handle: NamespaceHandle) throws {
        let served = Served()
        self.served = served
        server = ScriptedDNSServer { question in
            guard let addresses = served.addresses.withLock({ $0[question.name] }) else { return .fail(rcode: 3) }
            let wanted = addresses.filter { ($0.family == .v4) == question.isA }
            return .answer(wanted.map { .address(question.name, $0, ttl: 60) })
        }
        fixture.write("hosts", "")
        fixture.write("resolv.conf", "")
        var environment = fixture.environment([server])
        environment.namespace = handle
        namespace = NamespaceRegistry.current.namespace(of: handle)
        let key = ResolverPool.Key(servers: nil, device: nil, source: nil, keys: RoutingKeys())
        resolver = namespace.resolvers.resolver(key) { Resolver(environment) }
    }

    /// Changes the addresses of some names, and rewrites a configuration file so that the change is noticed. A name
    /// without addresses does not exist.
    func publish(_ changed: [String: [String]], inHostsFile: Bool) {
        names.merge(changed) { $1 }
        if inHostsFile {
            let lines = changed.flatMap { name, addresses in addresses.map { "\($0) \(name)\n" } }
            fixture.replace("hosts", lines.joined())
        } else {
            served.addresses.withLock { addresses in
                for (name, texts) in changed {
                    addresses[name] = texts.isEmpty ? nil : texts.map(IPAddress.init(text:))
                }
            }
            fixture.replace("resolv.conf", "# \(changed.keys.sorted().joined(separator: " "))\n")
        }
    }

    func end() {
        server.stop()
    }
}
