// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import ReachabilityKit

/// A name server on a link that comes later, as NetworkManager and rdnssd(8) write it to resolv.conf.
@Suite("A link-local name server", .timeLimit(.minutes(10)))
struct LateServerTests {
    @Test(.enabled(if: unsafe access("/usr/sbin/dnsmasq", X_OK) == 0, "dnsmasq-base is not installed"))
    func `is asked when its interface has come, and again when that was made anew`() throws {
        let topology = try Topology()
        let fixture = ResolverFixture()
        fixture.write("resolv.conf", "nameserver fe80::53%late0\n")
        var environment = fixture.environment([])
        environment.namespace = topology.namespace
        let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
        let key = ResolverPool.Key(servers: nil, device: nil, source: nil, keys: RoutingKeys())
        let resolver = namespace.resolvers.resolver(key) {
            Resolver(environment, files: ConfigurationFiles(environment))
        }
        let recorder = CallbackRecorder()
        var options = ReachabilityOptions()
        options.networkNamespace = .path(topology.namespacePath)
        let reference = try ReachabilityRef(hostname: "a.test", options: options)
        try withExtendedLifetime(resolver) {
            try recorder.watch(reference)
            #expect(try recorder.next() == [])
            for _ in 0..<2 {
                let far = try Topology()
                try topology.wire("late0", address: "10.0.0.1/24", "fe80::1/64", peer: "peer0", in: far)
                try far.ip("addr add fe80::53/64 dev peer0 nodad")
                let server = try far.run {
                    try ChildProcess(
                        "/usr/sbin/dnsmasq",
                        [
                            "--no-daemon", "--conf-file=/dev/null", "--interface=peer0", "--bind-interfaces",
                            "--no-resolv", "--no-hosts", "--user=root", "--pid-file=", "--local=/test/",
                            "--host-record=a.test,10.0.0.7", "--local-ttl=1",
                        ])
                }
                defer { server.end() }
                try server.waitForOutput("started")
                #expect(try recorder.next() == [.reachable, .isDirect])
                try topology.ip("link delete late0")
                #expect(try recorder.next() == [])
            }
            try reference.setDispatchQueue(nil)
        }
    }
}
