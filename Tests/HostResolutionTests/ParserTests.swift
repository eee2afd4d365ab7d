// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
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
        ("[::1]:443", .hasPort(host: "::1")), ("münchen.test", .notASCII), ("a\\b", .badCharacter("\\")),
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
