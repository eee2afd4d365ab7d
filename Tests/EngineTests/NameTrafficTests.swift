// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

extension Machine {
    /// dnsmasq(8), which knows the name a.test. It ends with the object.
    fileprivate func startNameServer(on interface: String, answering address: String) throws -> RunningProgram {
        let words = ["--interface=\(interface)", "--local=/test/", "--host-record=a.test,\(address)", "--local-ttl=1"]
        return try .dnsmasq(words, in: self)
    }
}

/// The questions about a name take the same route as packets to the name.
@Suite("Questions about a name", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct NameTrafficTests {
    private static func options(
        in topology: Machine, servers: [String], _ change: (inout ReachabilityOptions) -> Void = { _ in }
    ) -> ReachabilityOptions {
        var options = topology.options
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
        let (near, far) = (try Machine(), try Machine())
        try near.wire("eth0", peer: "eth0", in: far)
        try near.ip(
            """
            address add 10.0.0.1/24 dev eth0
            rule add fwmark 7 table 1000
            route add default via 10.0.0.53 table 1000
            """)
        try far.ip("address add 10.0.0.53/24 dev eth0\naddress add 192.0.2.53/32 dev eth0")
        let server = try far.startNameServer(on: "eth0", answering: "198.51.100.1")
        defer { _ = server }
        #expect(try await Self.answers(Self.options(in: near, servers: ["192.0.2.53"]) { $0.mark = 7 }) == [.reachable])
        let unmarked = Self.options(in: near, servers: ["192.0.2.53"])
        #expect(try await Self.answers(unmarked) == [[]])
        let why = try ReachabilityRef(hostname: "a.test", options: unmarked).explain()
        #expect(why.reason.contains("none of the name servers can be reached"))
    }

    @Test func `leave by the interface of the reference, also where the kernel would choose another`() async throws {
        let near = try Machine()
        var servers: [RunningProgram] = []
        for number in 0...1 {
            let far = try Machine()
            try near.wire(
                "eth\(number)", address: "10.\(number).0.1/24", peer: "eth0", peerAddress: "10.\(number).0.2/24",
                in: far)
            try far.ip("address add 192.0.2.53/32 dev eth0")
            try near.ip("route add default via 10.\(number).0.2 dev eth\(number) metric \(number + 1)")
            servers.append(try far.startNameServer(on: "eth0", answering: "198.51.100.\(number)"))
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
        var networks: [(topology: Machine, server: RunningProgram, address: String)] = []
        for address in ["198.51.100.1", "198.51.100.2"] {
            let topology = try Machine.wired()
            try topology.ip("route add \(address) via 10.0.0.254")
            networks.append((topology, try topology.startNameServer(on: "lo", answering: address), address))
        }
        for (topology, _, address) in networks {
            let options = Self.options(in: topology, servers: ["127.0.0.1"])
            #expect(try await Self.answers(options) == [.reachable])
            #expect(try ReachabilityRef(hostname: "a.test", options: options).explain().addresses == [address])
        }
    }

    @Test func `reach a server that is link-local, on the link it is named with`() async throws {
        let near = try Machine()
        var servers: [RunningProgram] = []
        for (link, address) in [("eth0", "10.0.0.7"), ("eth1", "10.1.0.7")] {
            let far = try Machine()
            try near.wire(link, peer: "eth0", in: far, hasLinkLocalAddress: true)
            try far.ip("-6 address add fe80::53/64 dev eth0 nodad")
            try far.waitForOwn(["fe80::53/64"])
            servers.append(try far.startNameServer(on: "eth0", answering: address))
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
            let found = Resolver(environment).resolve(NameQuery(HostName(lenient: "a.test")), deadline: deadline) { _ in
                true
            }
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
        let found = Resolver(environment).resolve(NameQuery(HostName(lenient: "a.b")), deadline: deadline) { _ in false
        }
        #expect(found.addresses.map(\.description) == ["10.0.0.7"])
        #expect(Set(network.server.questions.map(\.name)) == ["a.b.one.test", "a.b.two.test"])
    }
}

/// A name server that can be asked later. NetworkManager and rdnssd(8) write link-local ones to resolv.conf.
@Suite(
    "A name server", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .enabled(if: unsafe access("/usr/sbin/dnsmasq", X_OK) == 0, "dnsmasq-base is not installed"))
struct LateServerTests {
    private let (topology, far): (Machine, Machine)
    private let fixture = ResolverFixture()
    private let recorder = CallbackRecorder()
    /// The servers of lookups.
    private let asked = ReceivedValues<[IPAddress]>()
    private let options: ReachabilityOptions

    init() throws {
        (topology, far) = (try Machine(), try Machine())
        options = topology.options
    }

    /// A watched name, for which the servers of the fixture's resolv.conf are asked if there is a route to one.
    private func watchName() throws -> (ReachabilityRef, Resolver) {
        var environment = fixture.environment([])
        environment.namespace = topology.namespace
        let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
        let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
        let resolver = namespace.resolvers.resolver(key) {
            Resolver(environment) { [options, asked] servers in
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

    /// On the other end of the link.
    private func startServer() throws -> RunningProgram {
        try far.startNameServer(on: "peer0", answering: "10.0.0.7")
    }

    @Test func `that is link-local is asked when its interface has come, and again when that was made anew`() throws {
        fixture.write("resolv.conf", "nameserver fe80::53%late0\n")
        let (reference, resolver) = try watchName()
        try withExtendedLifetime(resolver) {
            #expect(try recorder.next() == [])
            for _ in 0..<2 {
                try topology.wire("late0", address: "10.0.0.1/24", "fe80::1/64", peer: "peer0", in: far)
                try far.ip("addr add fe80::53/64 dev peer0 nodad")
                let server = try startServer()
                defer { withExtendedLifetime(server) {} }
                #expect(try recorder.next() == [.reachable, .isDirect])
                try topology.ip("link delete late0")
                #expect(try recorder.next() == [])
            }
            try reference.setDispatchQueue(nil)
        }
    }

    /// There is no default path, whose change would also lead to a question.
    @Test func `that resolv.conf names later is asked when there is a route to it`() throws {
        try topology.wire("late0", address: "10.0.0.1/24", peer: "peer0", peerAddress: "10.0.0.2/24", in: far)
        try far.ip("address add 192.0.2.53/32 dev peer0")
        let server = try startServer()
        defer { withExtendedLifetime(server) {} }
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
