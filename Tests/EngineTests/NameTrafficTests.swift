// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

/// The questions about a name take the same route as packets to the name.
@Suite("Questions about a name", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct NameTrafficTests {
    /// A real name server in a network. It knows one name.
    private final class Server {
        private let process: ChildProcess

        init(in topology: Topology, on interface: String, answering address: String) throws {
            process = try topology.run {
                try ChildProcess(
                    "/usr/sbin/dnsmasq",
                    [
                        "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root",
                        "--pid-file=", "--bind-interfaces", "--interface=\(interface)", "--local=/test/",
                        "--host-record=a.test,\(address)",
                    ])
            }
            try process.waitForOutput("started")
        }

        deinit { process.end() }
    }

    private static func options(
        in topology: Topology, servers: [String], _ change: (inout ReachabilityOptions) -> Void = { _ in }
    ) -> ReachabilityOptions {
        var options = ReachabilityOptions()
        options.networkNamespace = .path(topology.namespacePath)
        options.nameServers = servers
        options.resolutionTimeout = .seconds(30)
        change(&options)
        return options
    }

    /// The answers in three ways: on the calling thread, on the engine's, and by watching.
    private static func answers(_ options: ReachabilityOptions) async throws -> Set<ReachabilityFlags> {
        func fresh() throws -> ReachabilityRef { try ReachabilityRef(hostname: "a.test", options: options) }
        let recorder = CallbackRecorder()
        let watched = try fresh()
        try recorder.watch(watched)
        let told = try recorder.next()
        try watched.setDispatchQueue(nil)
        return [try fresh().getFlags(), try await fresh().flags(), told]
    }

    @Test func `carry the firewall mark, and take the route its rule says`() async throws {
        let (near, far) = (try Topology(), try Topology())
        try near.wire("eth0", peer: "eth0", in: far)
        try near.ip(
            """
            address add 10.0.0.1/24 dev eth0
            rule add fwmark 7 table 1000
            route add default via 10.0.0.53 table 1000
            """)
        try far.ip("address add 10.0.0.53/24 dev eth0\naddress add 192.0.2.53/32 dev eth0")
        let server = try Server(in: far, on: "eth0", answering: "198.51.100.1")
        defer { _ = server }
        #expect(try await Self.answers(Self.options(in: near, servers: ["192.0.2.53"]) { $0.mark = 7 }) == [.reachable])
        let unmarked = Self.options(in: near, servers: ["192.0.2.53"])
        #expect(try await Self.answers(unmarked) == [[]])
        let why = try ReachabilityRef(hostname: "a.test", options: unmarked).explain()
        #expect(why.reason.contains("none of the name servers can be reached"))
    }

    @Test func `leave by the interface of the reference, also where the kernel would choose another`() async throws {
        let near = try Topology()
        var servers: [Server] = []
        for number in 0...1 {
            let far = try Topology()
            try near.wire(
                "eth\(number)", address: "10.\(number).0.1/24", peer: "eth0", peerAddress: "10.\(number).0.2/24",
                in: far)
            try far.ip("address add 192.0.2.53/32 dev eth0")
            try near.ip("route add default via 10.\(number).0.2 dev eth\(number) metric \(number + 1)")
            servers.append(try Server(in: far, on: "eth0", answering: "198.51.100.\(number)"))
        }
        for number in 0...1 {
            let options = Self.options(in: near, servers: ["192.0.2.53"]) { $0.interface = "eth\(number)" }
            #expect(try await Self.answers(options) == [.reachable])
            let why = try ReachabilityRef(hostname: "a.test", options: options).explain()
            #expect(why.addresses == ["198.51.100.\(number)"])
        }
        withExtendedLifetime(servers) {}
    }

    @Test func `are asked in the namespace of the reference, of the server there`() async throws {
        var networks: [(topology: Topology, server: Server, address: String)] = []
        for address in ["198.51.100.1", "198.51.100.2"] {
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            try topology.ip("route add \(address) via 10.0.0.254")
            networks.append((topology, try Server(in: topology, on: "lo", answering: address), address))
        }
        for (topology, _, address) in networks {
            let options = Self.options(in: topology, servers: ["127.0.0.1"])
            #expect(try await Self.answers(options) == [.reachable])
            #expect(try ReachabilityRef(hostname: "a.test", options: options).explain().addresses == [address])
        }
    }

    @Test func `reach a server that is link-local, on the link it is named with`() async throws {
        let near = try Topology()
        var servers: [Server] = []
        for (link, address) in [("eth0", "10.0.0.7"), ("eth1", "10.1.0.7")] {
            let far = try Topology()
            try near.wire(link, peer: "eth0", in: far)
            try far.ip("-6 address add fe80::53/64 dev eth0 nodad")
            try far.waitForOwn(["fe80::53/64"])
            servers.append(try Server(in: far, on: "eth0", answering: address))
        }
        try near.ip("address add 10.0.0.1/24 dev eth0\naddress add 10.1.0.1/24 dev eth1")
        for (link, address) in [("eth0", "10.0.0.7"), ("eth1", "10.1.0.7")] {
            let options = Self.options(in: near, servers: ["fe80::53%\(link)"])
            #expect(try await Self.answers(options) == [[.reachable, .isDirect]])
            #expect(try ReachabilityRef(hostname: "a.test", options: options).explain().addresses == [address])
            // The same from resolv.conf; this thread is in another namespace, which has no such link.
            let fixture = ResolverFixture()
            fixture.write("resolv.conf", "nameserver fe80::53%\(link)\n")
            var environment = fixture.environment([])
            environment.namespace = near.namespace
            let deadline = SystemTime().now().advanced(by: .seconds(30))
            let found = Resolver(environment).resolve(HostName(lenient: "a.test"), deadline: deadline) { _ in true }
            #expect(found.addresses.map(\.description) == [address])
        }
        withExtendedLifetime(servers) {}
    }

    @Test func `are about what the environment says to search`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        network.fixture.write("resolv.conf", "search file.test\n")
        var environment = network.fixture.environment([network.server])
        environment.namespace = network.topology.namespace
        environment.localDomain = "one.test two.test"
        environment.resolverOptions = "ndots:2"
        let script = NamedNetwork.answering("10.0.0.7")
        network.server.setScript { $0.name == "a.b.two.test" ? script($0) : .fail(rcode: 3) }
        let deadline = SystemTime().now().advanced(by: .seconds(30))
        let found = Resolver(environment).resolve(HostName(lenient: "a.b"), deadline: deadline) { _ in false }
        #expect(found.addresses.map(\.description) == ["10.0.0.7"])
        #expect(Set(network.server.questions.map(\.name)) == ["a.b.one.test", "a.b.two.test"])
    }
}
