// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Synchronization
import TestTopology
import Testing

/// The sources that nsswitch.conf names, in its order. What is expected is what getent(1) of glibc 2.36 answers.
@Suite("Sources of names", .timeLimit(.minutes(10)))
struct SourceTests {
    let fixture = ResolverFixture()
    let started = Started()

    // MARK: The line

    private static func text(_ sources: NameSources) -> String {
        sources.steps.map { step in
            let ends = NameSources.Status.allCases.filter { step.ends.contains($0) }.map(\.rawValue)
            return "\(step.source)(\(ends.joined(separator: ",")))"
        }.joined(separator: " ")
    }

    @Test(arguments: [
        ("", "files(success) dns(success)"), ("passwd: files\n", "files(success) dns(success)"),
        ("hosts: dns files # files\n", "dns(success) files(success)"),
        ("  hosts :\tfiles[NOTFOUND=return]dns", "files(success,notfound) dns(success)"),
        ("hosts: files [SUCCESS=continue] dns", "files() dns(success)"),
        ("hosts: resolve [!UNAVAIL=return] myhostname", "resolve(success,notfound,tryagain) ownHostName(success)"),
        (
            "hosts: mdns4_minimal [ NotFound=return  tryagain=return ] sss",
            "module(\"mdns4_minimal\")(success,notfound,tryagain) module(\"sss\")(success)"
        ), ("hosts: files [bogus=return] dns", ""), ("hosts: [NOTFOUND=return] files", ""), ("hosts: files [", ""),
        ("hosts: files\nhosts: dns\n", "dns(success)"), ("hosts: files [SUCCESS=merge]", "files(success)"),
        ("hosts: files [!UNAVAIL=merge] dns", "files(success,notfound,tryagain) dns(success)"),
    ]) func `are read from the line for hosts`(text: String, expected: String) {
        #expect(Self.text(NameSources(parsing: text)) == expected)
    }

    // MARK: Asking

    /// The last byte of the address that is found for a name: 1 from the hosts file, 99 from DNS. DNS does not know "none".
    private func found(_ line: String, _ name: String) -> [UInt8] {
        fixture.write("nsswitch.conf", "hosts: \(line)\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let server = started.server { question in
            if question.name == "none.test" { return .fail(rcode: 3) }
            return .answer(question.isA ? [.address(question.name, v4("192.0.2.99"))] : [])
        }
        // Named by the file, so that the line is not extended.
        fixture.write("resolv.conf", "")
        var environment = fixture.environment([server])
        environment.hasResolved = { false }
        environment.hostName = { "machine" }
        environment.ownAddresses = { [v4("192.0.2.7")] }
        return Resolver(environment).all(name).addresses.compactMap(\.bytes.last)
    }

    @Test(arguments: [
        ("dns [NOTFOUND=return] files", "a.test", [99]), ("dns [NOTFOUND=return] files", "none.test", []),
        ("files [NOTFOUND=return] dns", "a.test", [1]), ("files [NOTFOUND=return] dns", "b.test", []),
        ("nosuch [UNAVAIL=return] files", "a.test", []), ("nosuch [!SUCCESS=return] files", "a.test", []),
        ("nosuch files dns", "a.test", [1]), ("files [SUCCESS=continue] dns", "a.test", [99]),
        ("files [success=continue notfound=return] dns", "b.test", []), ("files[NOTFOUND=return]dns", "b.test", []),
        ("resolve [!UNAVAIL=return] files dns", "a.test", [1]), ("files dns", "machine", [99]),
        ("myhostname files dns", "machine", [7]), ("myhostname files dns", "a.test", [1]),
        ("mdns4_minimal [NOTFOUND=return] dns", "b.test", [99]), ("files [SUCCESS=merge] dns", "a.test", [1]),
        ("files [SUCCESS=merge] dns", "b.test", [99]), ("files [NOTFOUND=merge] dns", "b.test", []),
    ]) func `are asked in order, as far as the actions say`(line: String, name: String, expected: [UInt8]) {
        #expect(found(line, name) == expected)
    }

    @Test func `without DNS no server is asked`() {
        fixture.write("nsswitch.conf", "hosts: files\n")
        var environment = fixture.environment([])
        environment.resolvConfPath = fixture.path("resolv.conf")
        fixture.write("resolv.conf", "nameserver 127.0.0.1\n")
        let found = Resolver(environment).all("a.test")
        #expect(found.outcome == .noSuchName)
        #expect(found.origin == .none)
    }

    @Test func `a server that the caller names is asked, whatever the line says`() {
        fixture.write("nsswitch.conf", "hosts: files\n")
        let server = started.server(SharingTests.everyName)
        #expect(Resolver(fixture.environment([server])).all("a.test").origin == .dns)
    }

    @Test(arguments: ["files myhostname", "dns myhostname"])
    func `this machine's own name has the addresses that the machine has now`(line: String) throws {
        fixture.write("nsswitch.conf", "hosts: \(line)\n")
        let (server, loop, told) = (
            started.server { _ in .fail(rcode: 3) }, try started.loop(), ReceivedValues<Resolution>()
        )
        var environment = fixture.environment([server])
        environment.hostName = { "machine" }
        let own = Mutex([v4("192.0.2.7")])
        environment.ownAddresses = { own.withLock(\.self) }
        let resolver = Resolver(environment)
        for addresses in [[v4("192.0.2.7")], [v4("192.0.2.8")], [v6("2001:db8::8"), v4("192.0.2.9")]] {
            own.withLock { $0 = addresses }
            #expect(resolver.all("machine").addresses == addresses)
            let asked = server.questions.count
            #expect(resolver.known(host("machine"))?.addresses == addresses)
            #expect(resolver.all("machine").addresses == addresses)
            resolver.resolve("machine", on: loop, completion: told.record)
            #expect(try told.next().addresses == addresses)
            #expect(server.questions.count == asked, "what DNS said of the name is kept")
        }
    }

    @Test func `a changed line counts at once`() {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        fixture.write("nsswitch.conf", "hosts: files\n")
        var environment = fixture.environment([])
        environment.servers = []
        let resolver = Resolver(environment)
        #expect(resolver.all("a.test").outcome == .addresses)
        fixture.replace("nsswitch.conf", "hosts: dns\n")
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
    }

    @Test func `where systemd-resolved runs its source knows the hosts file, and asks the servers`() {
        fixture.write("nsswitch.conf", "hosts: resolve [!UNAVAIL=return] dns\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let server = started.server(SharingTests.everyName)
        var environment = fixture.environment([server])
        environment.hasResolved = { true }
        let resolver = Resolver(environment)
        #expect(resolver.all("a.test").origin == .hostsFile)
        #expect(resolver.all("b.test").origin == .dns)
    }

    // MARK: One family

    @Test(arguments: [(AddressFamily.v4, "192.0.2.99", [true]), (.v6, "2001:db8::99", [false])])
    func `of one family is asked for alone, and a hosts entry of the other does not count`(
        family: AddressFamily, address: String, questions: [Bool]
    ) {
        fixture.write("hosts", family == .v4 ? "2001:db8::7 a.test\n" : "192.0.2.7 a.test\n")
        let server = started.server { question in
            .answer([.address(question.name, question.isA ? v4("192.0.2.99") : v6("2001:db8::99"))])
        }
        let found = Resolver(fixture.environment([server])).resolve(
            NameQuery(host("a.test"), family), deadline: later()
        ) { _ in false }
        #expect(found.addresses.map(\.description) == [address])
        #expect(found.isComplete)
        #expect(server.questions.map(\.isA) == questions)
    }

    // MARK: Where questions come from

    @Test(arguments: ["2001:db8::1", "192.0.2.1"])
    func `a source that cannot lead to the server is not used for it`(source: String) {
        let server = started.server(SharingTests.everyName)
        var environment = fixture.environment([server])
        environment.source = source.contains(":") ? v6(source) : v4(source)
        #expect(Resolver(environment).all("a.test").outcome == .addresses)
        #expect(server.peers == [0x7F00_0001])
    }
}

/// The C library of this machine as the judge: getent(1) asks the same questions, in the same order, and finds the same
/// addresses.
///
/// One difference is known: glibc does not believe an answer about a name with characters that no host name has
/// (`search # domain` asks for such a one).
@Suite("The same as getent", .timeLimit(.minutes(10)))
struct GetentTests {
    private static let server = "nameserver 127.0.0.1\n"

    /// Further lines of resolv.conf, and the name that is looked up. Only names that end in "test" exist.
    private static let files: [(lines: String, name: String)] = [
        ("options ndots:20\nsearch x.none\n", "b.c.d.none"), ("# c\n; d\nsearch x.none\n", "none"),
        ("options rotatexyz no-tld-queryxyz\nsearch x.none\n", "none"),
        ("sortlist 10.0.0.0\nsearch x.none\n", "none"), ("options single-request edns0 trust-ad\n", "b.test"),
        ("options timeout:1 attempts:1\nsearch x.none\n", "none"), ("search x.none\n", "b.test."),
        ("search x.none\n", "a.test"), ("search x.none\n", "six.test"), ("search x.test\n", "b"),
    ]

    /// Lines that name the server in other ways, alone in their file.
    private static let servers = [
        "nameserver 127.1\n", "nameserver 127.0.0.1 # x\n", "nameserver\t127.0.0.1\n", "nameserver 0x7f000001\n",
        "nameserver 2130706433\n", "nameserver 300.1.1.1\nnameserver 127.0.0.1\n", "", "nameserver 300.1.1.1\n",
    ]

    private static let sources = [
        "dns [NOTFOUND=return] files", "files [NOTFOUND=return] dns", "nosuch [UNAVAIL=return] files",
        "nosuch [!SUCCESS=return] files", "files [SUCCESS=continue] dns",
        "files [success=continue notfound=return] dns", "files[NOTFOUND=return]dns", "files [bogus=return] dns",
        "files", "dns", "nosuch files dns", "files [NOTFOUND=merge] dns",
    ]

    /// What a server says of the names that begin so, by RFC 1035 4.1.1. The hosts file lists them.
    private static let failures: [(name: String, code: UInt8)] = [
        ("malformed", 1), ("failed", 2), ("missing", 3), ("unable", 4), ("refused", 5),
    ]

    private static let actionsAfterDNS = NameSources.Status.allCases.flatMap { status in
        ["dns [\(status.rawValue)=return] files", "dns [!\(status.rawValue)=return] files"]
    }

    @Test(.needs(.sysfs)) func `for every file of the table`() throws {
        let etc = ResolverFixture()
        let container = try Machine(sysfs: true)
        // getent asks only for families of which the machine has addresses (AI_ADDRCONFIG in getaddrinfo(3)).
        try container.wire("eth0", address: "10.0.0.1/24")
        try container.run {
            _ = try CallingThread.execute(["mount", "--bind", etc.directory, "/etc"])
            let server = NameServer(port: 53) { question in
                if !question.name.hasSuffix("test") { return .fail(rcode: 3) }
                if let failure = Self.failures.first(where: { question.name.hasPrefix($0.name) }) {
                    return .fail(rcode: failure.code)
                }
                return .answer(question.isA ? [.address(question.name, v4("192.0.2.99"))] : [])
            }
            defer { server.stop() }
            let failing = Self.failures.map { "192.0.2.2 \($0.name).test\n" }.joined()
            etc.write("hosts", "192.0.2.1 a.test\n2001:db8::6 six.test\n\(failing)")
            etc.write("nsswitch.conf", "hosts: files dns\n")
            // c-ares 1.34 does not ask for a name such as "b.#", whose characters no host name has.
            for (lines, name, asked) in FilesAsTheyAreTests.searches where !asked.contains("b.#") {
                compare(Self.server + lines, name, etc, server)
            }
            for (lines, name) in Self.files { compare(Self.server + lines, name, etc, server) }
            for lines in Self.servers { compare(lines + "search x.none\n", "none", etc, server) }
            for line in Self.sources {
                etc.write("nsswitch.conf", "hosts: \(line)\n")
                for name in ["a.test", "b.test", "none"] { compare(Self.server, name, etc, server) }
            }
            for line in Self.actionsAfterDNS {
                etc.write("nsswitch.conf", "hosts: \(line)\n")
                for (name, _) in Self.failures {
                    compare(Self.server + "options attempts:1\n", "\(name).test", etc, server)
                }
            }
        }
    }

    private func compare(_ text: String, _ name: String, _ etc: ResolverFixture, _ server: NameServer) {
        etc.write("resolv.conf", text)
        server.forgetQuestions()
        // Status 2: not found.
        let output = (try? CallingThread.execute(["getent", "ahostsv4", name])) ?? ""
        let expected = Set(output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })
        let asked = server.questions.map(\.name)
        server.forgetQuestions()
        let found = Resolver().resolve(
            NameQuery(host(name), .v4), deadline: later()
        ) { _ in false }
        #expect(Set(found.addresses.map(\.description)) == expected, "\(text)\(name)")
        #expect(server.questions.map(\.name) == asked, "\(text)\(name)")
    }
}
