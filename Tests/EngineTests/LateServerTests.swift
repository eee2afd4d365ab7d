// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import HostResolution
@testable import ReachabilityKit

/// A name server that can be asked later. NetworkManager and rdnssd(8) write link-local ones to resolv.conf.
@Suite("A name server", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LateServerTests {
    private let topology: Topology
    private let far: Topology
    private let fixture = ResolverFixture()
    private let recorder = CallbackRecorder()
    /// The servers of lookups.
    private let asked = ReceivedValues<[IPAddress]>()
    private let options: ReachabilityOptions

    init() throws {
        (topology, far) = (try Topology(), try Topology())
        var options = ReachabilityOptions()
        options.networkNamespace = .path(topology.namespacePath)
        self.options = options
    }

    /// A watched name, for which the servers of the fixture's resolv.conf are asked if there is a route to one.
    private func watchName() throws -> (ReachabilityRef, Resolver) {
        var environment = fixture.environment([])
        environment.namespace = topology.namespace
        let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
        let key = ResolverPool.Key(servers: nil, device: nil, source: nil, keys: RoutingKeys())
        let resolver = namespace.resolvers.resolver(key) {
            Resolver(environment, files: ConfigurationFiles(environment)) { [options, asked] servers in
                defer { asked.record(servers) }
                return servers.contains { server in
                    let route = try? ReachabilityRef(target: Target(server), options: options).getFlags()
                    return route?.isReachable == true
                }
            }
        }
        let reference = try ReachabilityRef(hostname: "a.test", options: options)
        try recorder.watch(reference)
        return (reference, resolver)
    }

    /// Knows the name, on the other end of the link.
    private func startServer() throws -> ChildProcess {
        let server = try far.run {
            try ChildProcess(
                "/usr/sbin/dnsmasq",
                [
                    "--no-daemon", "--conf-file=/dev/null", "--interface=peer0", "--bind-interfaces",
                    "--no-resolv", "--no-hosts", "--user=root", "--pid-file=", "--local=/test/",
                    "--host-record=a.test,10.0.0.7", "--local-ttl=1",
                ])
        }
        try server.waitForOutput("started")
        return server
    }

    @Test(.enabled(if: unsafe access("/usr/sbin/dnsmasq", X_OK) == 0, "dnsmasq-base is not installed"))
    func `that is link-local is asked when its interface has come, and again when that was made anew`() throws {
        fixture.write("resolv.conf", "nameserver fe80::53%late0\n")
        let (reference, resolver) = try watchName()
        try withExtendedLifetime(resolver) {
            #expect(try recorder.next() == [])
            for _ in 0..<2 {
                try topology.wire("late0", address: "10.0.0.1/24", "fe80::1/64", peer: "peer0", in: far)
                try far.ip("addr add fe80::53/64 dev peer0 nodad")
                let server = try startServer()
                defer { server.end() }
                #expect(try recorder.next() == [.reachable, .isDirect])
                try topology.ip("link delete late0")
                #expect(try recorder.next() == [])
            }
            try reference.setDispatchQueue(nil)
        }
    }

    /// There is no default path, whose change would also lead to a question.
    @Test(.enabled(if: unsafe access("/usr/sbin/dnsmasq", X_OK) == 0, "dnsmasq-base is not installed"))
    func `that resolv.conf names later is asked when there is a route to it`() throws {
        try topology.wire("late0", address: "10.0.0.1/24", peer: "peer0", peerAddress: "10.0.0.2/24", in: far)
        try far.ip("address add 192.0.2.53/32 dev peer0")
        let server = try startServer()
        defer { server.end() }
        fixture.write("resolv.conf", "nameserver 192.0.2.52\n")
        let (reference, resolver) = try watchName()
        try withExtendedLifetime(resolver) {
            #expect(try recorder.next() == [])
            fixture.replace("resolv.conf", "nameserver 192.0.2.53\n")
            try asked.next { $0.map(\.description) == ["192.0.2.53"] }
            try topology.ip("route add 192.0.2.53/32 via 10.0.0.2")
            #expect(try recorder.next() == [.reachable, .isDirect])
            try reference.setDispatchQueue(nil)
        }
    }
}
