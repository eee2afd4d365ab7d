// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import TestHosts
import Testing

/// Names for which no server is asked, and the effect of the configuration files.
@Suite(.timeLimit(.minutes(10)))
struct LocalNamesTests {
    let fixture = ResolverFixture()
    let started = Started()
    let server = ScriptedDNSServer { question in
        question.isA ? .answer([.address(question.name, v4("192.0.2.1"))]) : .answer([])
    }

    /// Runs with a server that knows every name, and returns what it was asked.
    func withResolver(_ body: (Resolver) -> Void) -> [String] {
        defer { server.stop() }
        body(Resolver(fixture.environment([server])))
        return server.questions.map(\.name)
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost."])
    func `localhost and the names under it need no server`(name: String) {
        let asked = withResolver { resolver in
            let found = resolver.all(name)
            #expect(found.addresses == [v6("::1"), localhost4])
            #expect(found.origin == .localhost)
            #expect(resolver.known(host(name)) === found || resolver.known(host(name))?.addresses == found.addresses)
        }
        #expect(asked == [])
    }

    @Test func `the hosts file comes before built-in names and servers`() {
        fixture.write("hosts", "127.0.0.5 localhost\n192.0.2.7 www.test Alias.Test # comment other.test\n")
        let asked = withResolver { resolver in
            #expect(resolver.all("localhost").addresses == [v4("127.0.0.5")])
            #expect(resolver.all("WWW.test.").addresses == [v4("192.0.2.7")])
            #expect(resolver.all("alias.test").origin == .hostsFile)
            #expect(resolver.all("other.test").origin == .dns)
        }
        #expect(Set(asked) == ["other.test"])
    }

    @Test(arguments: ["", "a b", "a..b", "https://a/", "a:80", "münchen.test", String(repeating: "a", count: 64)])
    func `an impossible name is not asked for`(name: String) {
        let asked = withResolver { resolver in
            let found = resolver.all(name)
            guard case .impossibleName = found.outcome else {
                Issue.record("\(found.outcome)")
                return
            }
        }
        #expect(asked == [])
    }

    @Test func `without resolv.conf no server is asked`() {
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
        #expect(resolver.configuredServers == [])
        #expect(resolver.all("localhost").outcome == .addresses)
    }

    @Test func `a resolv.conf that cannot be read means no server`() {
        var environment = fixture.environment([])
        // Reading a directory fails for root as well.
        environment.resolvConfPath = fixture.directory
        let resolver = Resolver(environment)
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
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
        server.stop()
    }

    @Test func `a name in another case is the same name`() {
        let asked = withResolver { resolver in
            let found = resolver.all("www.test")
            #expect(resolver.all("WWW.Test") === found)
        }
        #expect(asked.count == 2)
    }

    @Test func `a server on this machine is asked without the interface and source of the settings`() {
        var environment = fixture.environment([server])
        environment.device = "nosuchif0"
        environment.source = v4("192.0.2.9")
        #expect(Resolver(environment).all("a.test").outcome == .addresses)
        server.stop()
    }

    @Test func `questions come from the source address of the settings`() {
        var environment = fixture.environment([server])
        environment.source = v4("127.0.0.77")
        #expect(Resolver(environment).all("a.test").outcome == .addresses)
        #expect(server.peers == [0x7F00_004D])
        server.stop()
    }

    // MARK: Search domains

    /// Resolves with a server that knows only the names in `known`, and only for IPv4.
    func searching(_ name: String, resolvConf: String, known: Set<String>) -> (Resolution, [String]) {
        fixture.write("resolv.conf", resolvConf)
        let server = started.server { question in
            guard known.contains(question.name) else { return .fail(rcode: 3) }
            return question.isA ? .answer([.address(question.name, v4("192.0.2.1"))]) : .answer([])
        }
        let found = Resolver(fixture.environment([server])).all(name)
        return (found, server.questions.filter(\.isA).map(\.name))
    }

    @Test func `search domains are tried in order until the name is found`() {
        let (found, asked) = searching(
            "www", resolvConf: "search one.test two.test three.test\n", known: ["www.two.test", "www.three.test"])
        #expect(found.outcome == .addresses)
        #expect(asked == ["www.one.test", "www.two.test"])
    }

    @Test func `a name with enough dots is tried as it is first`() {
        let conf = "search one.test\noptions ndots:2\n"
        #expect(searching("a.b.c", resolvConf: conf, known: ["a.b.c"]).1 == ["a.b.c"])
        #expect(searching("a.b", resolvConf: conf, known: ["a.b"]).1 == ["a.b.one.test", "a.b"])
    }

    @Test func `an absolute name is not searched for`() {
        let (found, asked) = searching("www.", resolvConf: "search one.test\n", known: ["www.one.test"])
        #expect(found.outcome == .noSuchName)
        #expect(asked == ["www"])
    }

    @Test func `a name without addresses in one domain has the outcome no data`() {
        fixture.write("resolv.conf", "search one.test\n")
        let server = started.server { $0.name == "www.one.test" ? .answer([]) : .fail(rcode: 3) }
        #expect(Resolver(fixture.environment([server])).all("www").outcome == .noData)
    }

    @Test func `after a domain whose server fails, the next is tried`() {
        fixture.write("resolv.conf", "search bad.test good.test\n")
        let server = started.server { question in
            if question.name == "www.bad.test" { return .fail(rcode: 2) }
            return question.isA ? .answer([.address(question.name, v4("192.0.2.1"))]) : .answer([])
        }
        #expect(Resolver(fixture.environment([server])).all("www").addresses == [v4("192.0.2.1")])
    }
}
