// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Synchronization
import TestTopology

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// A network with a name server on its loopback, and configuration files of its own.
final class NamedNetwork: Sendable {
    let topology: Machine
    let fixture = ResolverFixture()
    let server: NameServer
    let recorder = CallbackRecorder()
    /// Keeps the namespace's context alive.
    let namespace: NamespaceContext
    /// Every reference in the namespace uses this one.
    let resolver: Resolver
    private let watched = Mutex<[ReachabilityRef]>([])

    init(_ script: @escaping NameServer.Script) throws {
        let topology = try Machine()
        self.topology = topology
        server = topology.run { NameServer(script) }
        fixture.write("hosts", "192.0.2.200 listed.test\n")
        fixture.write("resolv.conf", "")
        var environment = fixture.environment([server])
        environment.namespace = topology.namespace
        let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
        self.namespace = namespace
        environment.hostName = { "machine" }
        environment.ownAddresses = { [weak namespace] in namespace?.ownAddresses ?? [] }
        let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
        resolver = namespace.resolvers.resolver(key) { Resolver(environment) { _ in true } }
        try topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try topology.ip("route add default via 10.0.0.254")
    }

    deinit {
        for reference in watched.withLock(\.self) { try? reference.setDispatchQueue(nil) }
        server.stop()
    }

    /// Watches a name until this object ends.
    @discardableResult
    func watch(_ name: String, _ change: (inout ReachabilityOptions) -> Void = { _ in }) throws -> ReachabilityRef {
        let reference = try reference(name, change)
        try watch(reference)
        return reference
    }

    func watch(_ reference: ReachabilityRef) throws {
        watched.withLock { $0.append(reference) }
        try recorder.watch(reference)
    }

    func reference(_ name: String, _ change: (inout ReachabilityOptions) -> Void = { _ in }) throws -> ReachabilityRef {
        var options = topology.options
        // Far longer than any answer takes.
        options.resolutionTimeout = .seconds(30)
        change(&options)
        return try ReachabilityRef(hostname: name, options: options)
    }

    /// A script that holds back the answer 10.0.0.7.
    static let holding: NameServer.Script = { question in
        .held(question.isA ? [.address(question.name, IPAddress(text: "10.0.0.7"))] : [])
    }

    /// A script that answers every name with these addresses.
    static func answering(_ addresses: String..., ttl: UInt32 = 60) -> NameServer.Script {
        { question in
            let records = addresses.map(IPAddress.init(text:)).filter { ($0.family == .v4) == question.isA }
            return .answer(records.map { DNSMessage.Record.address(question.name, $0, ttl: ttl) })
        }
    }
}
