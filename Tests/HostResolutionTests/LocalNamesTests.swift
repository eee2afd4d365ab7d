// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import Testing

/// Names for which no server is asked, and the effect of the configuration files.
@Suite(.timeLimit(.minutes(10)))
struct LocalNamesTests {
    let fixture = ResolverFixture()
    let started = Started()
    /// Knows every name.
    let server: NameServer
    let resolver: Resolver

    init() {
        server = started.server(SharingTests.everyName)
        resolver = Resolver(fixture.environment([server]))
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost."])
    func `localhost and the names under it need no server`(name: String) {
        let found = resolver.all(name)
        #expect(found.addresses == [v6("::1"), localhost4])
        #expect(found.origin == .localhost)
        #expect(resolver.known(host(name))?.addresses == found.addresses)
        #expect(server.questions == [])
    }

    @Test func `the hosts file comes before built-in names and servers`() {
        fixture.write("hosts", "127.0.0.5 localhost\n192.0.2.7 www.test Alias.Test # comment other.test\n")
        #expect(resolver.all("localhost").addresses == [v4("127.0.0.5")])
        #expect(resolver.all("WWW.test.").addresses == [v4("192.0.2.7")])
        #expect(resolver.all("alias.test").origin == .hostsFile)
        #expect(resolver.all("other.test").origin == .dns)
        #expect(Set(server.questions.map(\.name)) == ["other.test"])
    }

    @Test(arguments: [
        "", "a b", "a..b", "https://a/", "a:80", "münchen.test", String(repeating: "a", count: 64), "300.1.1.1",
    ])
    func `an impossible name is not asked for`(name: String) {
        #expect(resolver.all(name).outcome == .impossibleName)
        #expect(server.questions == [])
    }

    @Test func `the server on this machine is asked where resolv.conf names none, is missing or cannot be read`() {
        var environment = fixture.environment([])
        fixture.write("resolv.conf", "search one.test\nnameserver 300.1.1.1\n")
        // Reading a directory fails for root as well.
        for path in [fixture.path("resolv.conf"), fixture.path("missing"), fixture.directory] {
            environment.resolvConfPath = path
            #expect(Resolver(environment).configuredServers == [ServerAddress(localhost4)])
        }
        environment.servers = []
        #expect(Resolver(environment).all("a.test").outcome == .noServerConfigured)
    }

    @Test func `servers that cannot be reached are not asked, and this outcome is not kept`() {
        let allowed = Flag()
        let resolver = Resolver(fixture.environment([server])) { servers in
            #expect(servers == [localhost4])
            return allowed.isSet
        }
        #expect(resolver.all("a.test").outcome == .noServerReachable)
        #expect(server.questions == [])
        allowed.set()
        #expect(resolver.all("a.test").outcome == .addresses)
    }

    @Test func `a name in another case is the same name`() {
        let found = resolver.all("www.test")
        #expect(resolver.all("WWW.Test") === found)
        #expect(server.questions.count == 2)
    }

    @Test func `questions come from the source address of the settings`() {
        var environment = fixture.environment([server])
        environment.source = v4("127.0.0.77")
        #expect(Resolver(environment).all("a.test").outcome == .addresses)
        #expect(server.peers == [0x7F00_004D])
    }

    // MARK: Search domains

    /// The answers to the names that a server was asked for.
    enum Answer { case address, noData, failure }

    @Test(
        "go on with the next domain, or the name itself, until there are addresses",
        arguments: [
            (
                "www", "search one.test two.test three.test\n",
                ["www.two.test": Answer.address, "www.three.test": .address], ["www.one.test", "www.two.test"],
                ResolutionOutcome.addresses
            ),
            ("a.b.c", "search one.test\noptions ndots:2\n", ["a.b.c": .address], ["a.b.c"], .addresses),
            ("a.b", "search one.test\noptions ndots:2\n", ["a.b": .address], ["a.b.one.test", "a.b"], .addresses),
            // An absolute name.
            ("www.", "search one.test\n", ["www.one.test": .address], ["www"], .noSuchName),
            ("www", "search one.test\n", ["www.one.test": .noData], ["www.one.test", "www"], .noData),
            // A server that fails is asked three times.
            (
                "www", "search bad.test good.test\n", ["www.bad.test": .failure, "www.good.test": .address],
                ["www.bad.test", "www.bad.test", "www.bad.test", "www.good.test"], .addresses
            ),
        ])
    func searching(
        name: String, resolvConf: String, known: [String: Answer], asked: [String], outcome: ResolutionOutcome
    ) {
        fixture.write("resolv.conf", resolvConf)
        server.setScript { question in
            switch known[question.name] {
            case .address: SharingTests.everyName(question)
            case .noData: .answer([])
            case .failure: .fail(rcode: 2)
            case nil: .fail(rcode: 3)
            }
        }
        #expect(resolver.all(name).outcome == outcome)
        #expect(server.questions.filter(\.isA).map(\.name) == asked)
    }
}
