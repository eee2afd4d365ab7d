// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import TestHosts
import TestTopology
import Testing

/// The C library of this machine as the judge: getent(1) asks the same questions, in the same order, and finds the same
/// addresses.
///
/// One difference is known: glibc does not believe an answer about a name with characters that no host name has
/// (`search # domain` asks for such a one).
@Suite("The same as getent", .timeLimit(.minutes(10)))
struct GetentTests {
    private static let server = "nameserver 127.0.0.1\n"

    /// Lines of resolv.conf, and the name that is looked up. No name that ends in "none" exists.
    private static let files: [(lines: String, name: String)] = [
        ("search x.none y.none\nsearch\n", "b.none"), ("search x.none y.none\ndomain\n", "none"),
        ("search x.none\ndomain d.none\n", "none"), ("domain d.none\nsearch x.none\n", "none"),
        (" search x.none\n", "none"), ("search .\n", "none"), ("search . x.none\n", "none"),
        ("search x.none. .\n", "none"), ("search\tx.none\ty.none\n", "none"),
        ("search a1.none a2.none a3.none a4.none a5.none a6.none a7.none a8.none\n", "none"),
        ("options ndots:2\nsearch x.none\n", "b.none"), ("options ndots:0\nsearch x.none\n", "none"),
        ("options ndots:20\nsearch x.none\n", "b.c.d.none"), ("options ndots:\nsearch x.none\n", "none"),
        ("options ndots:x\nsearch x.none\n", "none"), ("options ndots:-1\nsearch x.none\n", "b.none"),
        ("options no-tld-query\nsearch x.none\n", "none"), ("options no-tld-query\n", "none"),
        ("options no_tld_query\nsearch x.none\n", "none"), ("options\tndots:2\nsearch x.none\n", "b.none"),
        ("options ndots:2 # ndots:0\nsearch x.none\n", "b.none"),
        ("options ndots:2;ndots:0\nsearch x.none\n", "b.none"), ("Options ndots:2\nsearch x.none\n", "b.none"),
        ("optionsndots:2\nsearch x.none\n", "b.none"), ("domain d.none e.none\n", "none"),
        ("# c\n; d\nsearch x.none\n", "none"), ("options rotatexyz no-tld-queryxyz\nsearch x.none\n", "none"),
        ("sortlist 10.0.0.0\nsearch x.none\n", "none"), ("options single-request edns0 trust-ad\n", "b.test"),
        ("options timeout:1 attempts:1\nsearch x.none\n", "none"), ("search x.none\n", "b.test."),
        ("search x.none\n", "a.test"), ("search x.none\n", "six.test"), ("search x.test\n", "b"),
    ]

    /// Lines that name the server in other ways, alone in their file.
    private static let servers = [
        "nameserver 127.1\n", "nameserver 127.0.0.1 # x\n", "nameserver\t127.0.0.1\n", "nameserver 0x7f000001\n",
        "nameserver 2130706433\n", "nameserver 300.1.1.1\nnameserver 127.0.0.1\n",
    ]

    private static let sources = [
        "dns [NOTFOUND=return] files", "files [NOTFOUND=return] dns", "nosuch [UNAVAIL=return] files",
        "nosuch [!SUCCESS=return] files", "files [SUCCESS=continue] dns",
        "files [success=continue notfound=return] dns", "files[NOTFOUND=return]dns", "files [bogus=return] dns",
        "files", "dns", "nosuch files dns",
    ]

    @Test(.needs(.sysfs)) func `for every file of the table`() throws {
        let etc = ResolverFixture()
        let container = try Topology(sysfs: true)
        // getent asks only for families of which the machine has addresses (AI_ADDRCONFIG in getaddrinfo(3)).
        try container.wire("eth0", address: "10.0.0.1/24")
        try container.run {
            _ = try CallingThread.execute(["mount", "--bind", etc.directory, "/etc"])
            let server = ScriptedDNSServer(port: 53) { question in
                if question.name.hasSuffix("none") { return .fail(rcode: 3) }
                return .answer(question.isA ? [.address(question.name, v4("192.0.2.99"))] : [])
            }
            defer { server.stop() }
            etc.write("hosts", "192.0.2.1 a.test\n2001:db8::6 six.test\n")
            etc.write("nsswitch.conf", "hosts: files dns\n")
            for (lines, name) in Self.files { compare(Self.server + lines, name, etc, server) }
            for lines in Self.servers { compare(lines + "search x.none\n", "none", etc, server) }
            for line in Self.sources {
                etc.write("nsswitch.conf", "hosts: \(line)\n")
                for name in ["a.test", "b.test", "none"] { compare(Self.server, name, etc, server) }
            }
        }
    }

    private func compare(_ text: String, _ name: String, _ etc: ResolverFixture, _ server: ScriptedDNSServer) {
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
