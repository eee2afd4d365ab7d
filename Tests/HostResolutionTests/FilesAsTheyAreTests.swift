// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import Testing

@Suite struct ParserTests {
    @Test(arguments: [
        ("", HostNameError.empty), (".", .empty),
        (String(repeating: "a.", count: 127), .tooLong(octets: 257)),
        (String(repeating: "a", count: 64) + ".test", .labelTooLong(String(repeating: "a", count: 64))),
        ("a..test", .emptyLabel), (".test", .emptyLabel), ("a.test..", .emptyLabel),
        ("a\0.test", .containsNUL), ("a b", .containsWhiteSpace), ("a.test\n", .containsWhiteSpace),
        ("https://www.test/path?x", .isURL(host: "www.test")), ("www.test/path", .isURL(host: "www.test")),
        ("http://user@www.test:80/", .isURL(host: "www.test")), ("www.test:443", .hasPort(host: "www.test")),
        ("[::1]:443", .hasPort(host: "::1")),
        ("[::1]", .hasBrackets(address: "::1")), ("::1]", .hasBrackets(address: "::1")),
        ("[::1", .hasBrackets(address: "::1")), ("a\\xffb", .badCharacter("\\xff")),
        ("[fe80::1%eth0]", .hasBrackets(address: "fe80::1%eth0")),
        ("münchen.test", .notASCII), ("a\\b", .badCharacter("\\")), ("300.1.1.1", .endsInNumber(parts: 4)),
        ("1.2.3.4.5", .endsInNumber(parts: 5)), ("db.test.7", .endsInNumber(parts: 3)),
        ("a.1.", .endsInNumber(parts: 3)),
        ("1.2.3.4.", .endsInNumber(parts: 5)), ("http://300.1.1.1/", .isURL(host: "300.1.1.1")),
    ])
    func `an impossible name is refused with the reason`(text: String, problem: HostNameError) {
        // 127 labels of one letter are 253 octets without the last dot, which is the maximum.
        if text.hasPrefix("a.a.") {
            #expect(throws: Never.self) { try HostName(text) }
            #expect(throws: problem) { try HostName(text + "a.b") }
            return
        }
        #expect(throws: problem) { try HostName(text) }
        #expect(HostName(lenient: text).problem == problem)
        #expect(!problem.description.isEmpty)
    }

    @Test(arguments: [
        ("www.Example.ORG", "www.example.org", false), ("www.example.org.", "www.example.org", true),
        ("_srv.a-b.test", "_srv.a-b.test", false), ("x", "x", false),
    ])
    func `a proper name has one canonical form`(text: String, canonical: String, isAbsolute: Bool) throws {
        let name = try HostName(text)
        #expect(name.canonical == canonical)
        #expect(name.isAbsolute == isAbsolute)
    }

    @Test(arguments: [
        ("a.test", ["192.0.2.1", "2001:db8::1"]), ("B.TEST", ["192.0.2.1"]), ("c.test.", ["192.0.2.1"]),
        ("d.test", []), ("e.test", ["fe80::1%eth7"]), ("f.test", ["fe80::2%3"]), ("g.test", []),
        ("h.test", ["192.0.2.8"]),
        ("", []),
    ])
    func `the hosts file`(name: String, expected: [String]) {
        let text = """
            # a comment
            192.0.2.1\ta.test  b.test c.test. # d.test
            2001:db8::1 A.Test
              \t
            fe80::1%eth7 e.test
            fe80::2%3 f.test
            fe80::3%a-name-that-is-too-long g.test
            300.1.1.1 g.test
            192.0.2.9
            192.0.2.8 h.test\r
            """
        let hosts = HostsFile(parsing: Array(text.utf8))
        let found = hosts.lookUp(HostName(lenient: name))
        #expect(found.map(\.description).sorted() == expected)
    }

    @Test func `resolv.conf`() {
        let text = """
            ; comment
            #nameserver 192.0.2.66
            nameserver 192.0.2.1
            nameserver fe80::1%eth7
            nameserver nonsense
            domain gone.test
            search One.test two.test. .
            options ndots:x timeout:2 attempts:9 rotate use-vc unknown:1 ndots:20
            sortlist 130.155.160.0
            """
        let conf = ResolvConf(parsing: text)
        #expect(conf.servers.map(\.description) == ["192.0.2.1", "fe80::1%eth7"])
        #expect(conf.search == ["one.test", "two.test", ""])
        #expect(conf.ndots == 15)
        #expect(conf.timeoutSeconds == 2)
        #expect(conf.attempts == 5)
        #expect(conf.rotates)
        #expect(conf.usesTCP)
    }

    @Test func `the last of domain and search counts`() {
        let conf = ResolvConf(parsing: "search a.test b.test\ndomain c.test d.test\n")
        #expect(conf.search == ["c.test"])
    }

    @Test(arguments: [
        (nil, nil, ["a.test"], 2, nil), ("c.test\td.test ", nil, ["c.test", "d.test"], 2, nil), ("", nil, [], 2, nil),
        (nil, "ndots:3 attempts:2", ["a.test"], 3, 2), ("c.test", "nonsense ndots:0", ["c.test"], 0, nil),
    ])
    func `LOCALDOMAIN and RES_OPTIONS override the file`(
        localDomain: String?, options: String?, search: [String], ndots: Int, attempts: Int?
    ) {
        var conf = ResolvConf(parsing: "search a.test\noptions ndots:2\n")
        conf.amend(localDomain: localDomain, options: options)
        #expect(conf.search == search)
        #expect(conf.ndots == ndots)
        #expect(conf.attempts == attempts)
    }

    @Test func `a search domain that makes the name too long is left out`() {
        let long = String(repeating: "a", count: 60)
        let conf = ResolvConf(parsing: "search \(long).\(long).\(long).\(long)\n")
        #expect(conf.candidates(for: HostName(lenient: "short-name")) == ["short-name"])
    }
}

/// Configuration files as machines have them: large, behind links to directories, and written as glibc accepts them.
@Suite("Configuration files", .timeLimit(.minutes(10)))
struct FilesAsTheyAreTests {
    let fixture = ResolverFixture()
    let started = Started()

    @Test func `are read whole, however large`() {
        // 90,000 lines, 2.5 MB, as lists of advertisers are.
        let lines = (0..<90_000).map { "0.0.0.0 advertiser-\($0).example\n" }.joined()
        fixture.write("hosts", lines + "192.0.2.1 last.test\n")
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.all("advertiser-89999.example").addresses == [v4("0.0.0.0")])
        #expect(resolver.all("last.test").addresses == [v4("192.0.2.1")])
        #expect(resolver.known(host("advertiser-90000.example")) == nil)
    }

    /// As Kubernetes mounts its volumes: hosts -> volume/current/hosts, current -> one. No file is watched in the volume.
    @Test(arguments: [true, false]) func `are watched behind a directory that is a link`(fileIsLink: Bool) {
        for directory in ["volume", "volume/one", "volume/two"] { unsafe mkdir(fixture.path(directory), 0o755) }
        fixture.write("volume/one/hosts", "192.0.2.1 a.test\n")
        fixture.write("volume/two/hosts", "192.0.2.2 a.test\n")
        unsafe symlink("one", fixture.path("volume/current"))
        var environment = fixture.environment([])
        if fileIsLink {
            unsafe symlink("volume/current/hosts", fixture.path("hosts"))
        } else {
            environment.hostsPath = fixture.path("volume/current/hosts")
        }
        let resolver = Resolver(environment)
        #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.1")])
        unsafe symlink("\(fixture.directory)/volume/two", fixture.path("volume/new"))
        unsafe rename(fixture.path("volume/new"), fixture.path("volume/current"))
        #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.2")])
    }

    @Test func `of a named network namespace count before those of the machine`() {
        unsafe mkdir(fixture.path("named"), 0o755)
        fixture.write("hosts", "192.0.2.1 a.test\n")
        fixture.write("resolv.conf", "nameserver 192.0.2.53\n")
        var environment = fixture.environment([])
        environment.overlay = fixture.path("named")
        let resolver = Resolver(environment)
        #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.1")])
        fixture.write("named/hosts", "192.0.2.2 a.test\n")
        #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.2")])
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.53"))])
        unsafe unlink(fixture.path("named/hosts"))
        #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.1")])
    }

    @Test func `name interfaces that may come later, and be made anew`() {
        fixture.write("resolv.conf", "nameserver fe80::53%late0\n")
        fixture.write("hosts", "fe80::9%late0 a.test\n")
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.configuredServers.map(\.description) == ["fe80::53%late0"])
        #expect(resolver.known(host("a.test"))?.addresses.map(\.description) == ["fe80::9%late0"])
    }

    // MARK: resolv.conf

    /// Lines of resolv.conf, a name, and the names that are asked for. `GetentTests` compares them with the C library.
    static let searches: [(text: String, name: String, expected: [String])] = [
        ("search x y\nsearch\n", "b", ["b.x", "b.y", "b"]), ("search x y\ndomain\n", "b", ["b.x", "b.y", "b"]),
        ("search x\ndomain d\n", "b", ["b.d", "b"]), ("domain d\nsearch x\n", "b", ["b.x", "b"]),
        (" search x\n", "b", ["b"]), ("domain d e\n", "b", ["b.d", "b"]),
        ("search x # y\n", "b", ["b.x", "b.#", "b.y", "b"]), ("search .\n", "b", ["b"]),
        ("search . x\n", "b", ["b", "b.x"]), ("search x. .\n", "b", ["b.x", "b"]),
        ("search\tx\ty\n", "b", ["b.x", "b.y", "b"]),
        ("search a b c d e f g h\n", "b", ["b.a", "b.b", "b.c", "b.d", "b.e", "b.f", "b.g", "b.h", "b"]),
        ("options ndots:0\nsearch x\n", "b", ["b", "b.x"]), ("options ndots:x\nsearch x\n", "b", ["b", "b.x"]),
        ("options ndots:\nsearch x\n", "b", ["b", "b.x"]), ("options no-tld-query\nsearch x\n", "b", ["b.x"]),
        ("options no_tld_query\nsearch x\n", "b", ["b.x"]), ("options no-tld-query\n", "b", ["b"]),
        ("options\tndots:0\nsearch x\n", "b", ["b", "b.x"]), ("Options ndots:0\nsearch x\n", "b", ["b.x", "b"]),
        ("optionsndots:0\nsearch x\n", "b", ["b.x", "b"]),
        ("options ndots:1 # ndots:0\nsearch x\n", "b", ["b", "b.x"]),
        ("options ndots:0;ndots:1\nsearch x\n", "b", ["b", "b.x"]), ("searching x\n", "b", ["b"]),
        ("options ndots:2\nsearch x\n", "b.c", ["b.c.x", "b.c"]),
        ("options ndots:-1\nsearch x\n", "b.c", ["b.c.x", "b.c"]),
        ("options ndots:99\nsearch x\n", "b.c", ["b.c.x", "b.c"]),
        ("options no-tld-query\nsearch x\n", "b.c", ["b.c", "b.c.x"]),
    ]

    @Test(arguments: searches)
    func `are searched for the names that glibc asks for`(text: String, name: String, expected: [String]) {
        #expect(ResolvConf(parsing: text).candidates(for: host(name)) == expected)
    }

    @Test(arguments: [
        ("nameserver 127.1\n", ["127.0.0.1"]), ("nameserver 127.0.0.5 # x\n", ["127.0.0.5"]),
        ("nameserver 127.0.0.5#x\n", []), (" nameserver 127.0.0.5\n", []), ("nameserver\t127.0.0.5\n", ["127.0.0.5"]),
        ("nameserver 300.1.1.1\nnameserver 127.0.0.5\n", ["127.0.0.5"]), ("nameserver127.0.0.5\n", []),
        ("nameserver fe80::1%nosuch0\n", ["fe80::1%nosuch0"]), ("nameserver 0x7f000005\n", ["127.0.0.5"]),
        (
            "nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nnameserver 192.0.2.4\n",
            ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
        ),
    ]) func `name the servers that glibc asks`(text: String, expected: [String]) {
        #expect(ResolvConf(parsing: text).servers.map(\.description) == expected)
    }

    @Test func `without a domain the one of this machine's name is searched`() {
        var conf = ResolvConf(parsing: "", hostName: "machine.of.test")
        #expect(conf.candidates(for: host("b")) == ["b.of.test", "b"])
        conf = ResolvConf(parsing: "", hostName: "machine")
        #expect(conf.candidates(for: host("b")) == ["b"])
        conf = ResolvConf(parsing: "search .\n", hostName: "machine.of.test")
        #expect(conf.candidates(for: host("b")) == ["b"])
    }

    @Test func `may forbid questions for IPv6 addresses`() {
        let server = started.server(SharingTests.everyName)
        fixture.write("resolv.conf", "options no-aaaa single-request edns0 trust-ad\n")
        let found = Resolver(fixture.environment([server])).all("a.test")
        #expect(found.addresses == [SharingTests.address(of: "a.test")])
        #expect(found.isComplete)
        #expect(server.questions.map(\.isA) == [true])
    }

    @Test func `may have the servers asked in turn, one for both families of a lookup`() {
        let servers = (0..<2).map { _ in started.server(SharingTests.everyName) }
        fixture.write("resolv.conf", "options rotate\n")
        let loopless = Resolver(fixture.environment(servers))
        _ = loopless.all("a.test")
        _ = loopless.all("b.test")
        #expect(servers[0].count("a.test") == 2)
        #expect(servers[1].count("b.test") == 2)
    }
}
