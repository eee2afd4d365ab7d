// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("reachability with wrong arguments", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct BadInputTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
    }

    /// Arguments, and words that the error must contain. `ArgumentParserTests` has whole sentences.
    static let refusals: [(String, [String])] = [
        ("check --json", ["no target"]), ("check ---- 127.0.0.1", ["----"]),
        ("check 127.0.0.1 --interface", ["--interface", "needs a value"]),
        ("check 127.0.0.1 --mark", ["--mark", "needs a value"]),
        ("check --interface= 127.0.0.1", ["--interface"]), ("check --interface e0:1 127.0.0.1", ["'e0:1'", "colon"]),
        ("check --interface averyveryverylongname 127.0.0.1", ["averyveryverylongname"]),
        ("check --source 10.1 127.0.0.1", ["10.0.0.1", "four"]), ("check --source [::1] ::1", ["without brackets"]),
        ("check --source junk 127.0.0.1", ["--source", "junk"]), ("check --source 1.2.3.4.5 127.0.0.1", ["1.2.3.4.5"]),
        ("check --mark -1 127.0.0.1", ["--mark"]), ("check --mark 0x 127.0.0.1", ["0x"]),
        ("check --uid nosuchuser 127.0.0.1", ["--uid", "nosuchuser", "/etc/passwd"]),
        ("check --timeout never 127.0.0.1", ["--timeout", "never"]),
        ("check --netns nosuchname 127.0.0.1", ["nosuchname"]), ("check --netns /nowhere 127.0.0.1", ["/nowhere"]),
        ("check fe80::1%e0:80", ["'e0:80'", "colon"]), ("check fe80::1%0", ["'0'"]), ("check ,", ["pair"]),
        ("check 1.2.3.4,5.6.7.8,9.9.9.9", ["pair"]),
        ("check 1.2.3.4,junk", ["junk"]), ("check junk,1.2.3.4", ["junk"]), ("check 1.2.3.4,fe80::1%a/b", ["'a/b'"]),
        ("check --source 10.0.0.1 10.0.0.1,8.8.8.8", ["10.0.0.1"]),
        // What only looks like a target.
        ("check http://", ["pass the host alone"]), ("check http:///path", ["no host"]),
        ("check 1.2.3.4%eth9", ["--interface"]),
        ("check [::1", ["[2001:db8::1]:443"]), ("check [::1]x", ["[2001:db8::1]"]),
        ("check [::1]:", ["'[::1]:'", "no port follows"]),
        ("check [::1]:70000", ["'70000' is no port from 0 to 65535"]), ("check db:", ["no port follows"]),
        ("check http://me:secret@db:70000/x", ["'http://db:70000'", "'70000' is no port"]),
        ("check [1.2.3.4]:80", ["without brackets: 1.2.3.4:80"]),
        ("check %eth0", ["no host name contains", "fe80::1%eth0"]), ("check 2001:db8::/32", ["CIDR"]),
        ("check 1.2.3.4.5", ["no IPv4 address"]), ("check db.example.7", ["no IPv4 address"]),
        ("check bücher.example", ["xn--"]),
        // An address, or one with a port.
        ("check ::1:80", ["write [::1]:80 for port 80, or [::1:80] for an address"]),
        ("wait ::1:80", ["write [::1]:80"]),
        ("check 2001:db8::1:15432", ["write [2001:db8::1]:15432 for port 15432\n"]),
        ("check http://2001:db8::1:80/", ["write [2001:db8::1]:80"]),
        ("wait --connect ::1:80", ["write [::1]:80"]),
        ("wait --connect fe80::1%eth0:80", ["write [fe80::1%eth0]:80 for port 80\n"]),
        ("wait --connect [1.2.3.4]:80", ["without brackets: 1.2.3.4:80"]),
        ("check --server ::1:53 ::1", ["write [::1]:53"]),
        ("check --server 2001:db8::1:53 ::1", ["write [2001:db8::1]:53"]),
        ("check user@host:22", ["pass what follows the \"@\": host:22"]), ("wait me@[::1]:22", ["\"@\": [::1]:22"]),
        ("check --server [1.2.3.4]:53 ::1", ["without brackets: 1.2.3.4:53"]),
        // What can be read once.
        ("check - -", ["standard input", "once"]), ("wait --file - -", ["standard input", "once"]),
        ("export --file=- ::1 --file -", ["standard input", "once"]),
        // Words before the targets.
        ("batch", ["has to be a verb: `check`, "]), ("help me", ["the verbs are `check`, "]),
        ("version x y", ["`version` takes nothing; leave out 'x y'"]), ("version --json", ["leave out '--json'"]),
        ("help check wait", ["`help` takes one verb; leave out 'wait'"]), ("help help me", ["leave out 'me'"]),
        ("check --timout 1 10.0.0.9", ["did you mean `--timeout`"]),
        ("check -timeout 1 10.0.0.9", ["-t 'imeout' is invalid"]),
        ("check -qx 10.0.0.9", ["'-x'"]),
        ("watch -t 2 10.0.0.9", ["-t does not fit `watch`; use it with `check` or `wait`; --name-timeout limits "]),
        ("export --timeout=2 10.0.0.9", ["--name-timeout"]),
        // What does not fit the verb.
        ("wait db 5432", ["db.example:5432"]), ("check localhost 12", ["db.example:12"]),
        ("wait db:htpp", ["'htpp' is no port"]),
        ("wait foo://db", ["'foo://db'", "write db:PORT", "or db "]),
        ("wait http://localhost", ["write localhost:PORT"]),
        ("wait https://me:secret@[::1]/x", ["'https://[::1]'", "write [::1]:PORT", "or [::1] "]),
        ("wait http://db:8080", ["write db:8080"]), ("wait tcp://db", ["write db:PORT"]),
        ("wait default:80", ["one host"]), ("wait udp://db:53", ["TCP", "or db to"]),
        ("wait ./server", ["'./server'"]), ("wait 10.0.0.9:0", ["above 0"]),
        ("wait --not 10.0.0.9:80", ["--not fits only"]), ("wait -q -v 10.0.0.9", ["--quiet", "--explain"]),
        ("wait --dsn", ["did you mean `--dns`"]),
        ("wait --kind wifi ::1", ["unknown option '--kind'"]),
        ("wait --not --not-expensive ::1", ["--not fits only"]),
        ("wait --not --online", ["--not fits only"]), ("wait --dns --not ::1", ["--not fits only"]),
        ("wait --any --online", ["--any does not fit --online"]), ("check --online", ["--online does not fit `check`"]),
        ("wait ::1 --", ["no command follows `--`; write one"]), ("check --file /dev/null ::1", ["with `--file -`"]),
        ("wait ::1 --unescape -", ["--unescape does not reach into a list"]),
        ("wait --file - --unescape ::1 --file /dev/null", ["--unescape does not reach into a list"]),
        ("path 192.0.2.1", []), ("path --interface eth0", []), ("path --json --explain", []), ("path -q --watch", []),
        ("check --watch ::1", []),
        ("export", ["no target given"]), ("export --json ::1", ["--json does not fit `export`"]),
        ("export --format prometheus ::1", ["unknown option '--format'"]),
        ("check --textfile x ::1", ["--textfile does not fit `check`"]),
        ("export --textfile x ::1", ["names that end in .prom"]), ("export --textfile /tmp/ ::1", ["is a folder"]),
        ("export --policy optimistic ::1", ["use it with `check`"]),
        ("export --stable 2 ::1", ["use it with `wait`"]), ("export --textfile= ::1", ["the path of a file"]),
        ("export --quiet ::1", ["--quiet does not fit `export`"]),
    ]

    @Test(
        "ends with 64, nothing on standard output, and an error that names what is wrong", arguments: refusals)
    func refused(_ line: String, _ words: [String]) throws {
        let outcome = try topology.reachability(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.hasPrefix("reachability: "))
        for word in words { #expect(outcome.complaints.contains(word), "\(outcome.complaints)") }
    }

    @Test(
        "survives any target",
        arguments: [
            "", " ", "%", "%eth0", "::%", ":::", "1.2.3.4%lo", "\u{1}", "\u{1F4A9}", "999.999.999.999", "1.2.3.4\n",
            "http://1.2.3.4/",
            String(repeating: "a", count: 10_000), String(repeating: ":", count: 5000),
            String(repeating: "1.", count: 5000),
        ])
    func garbage(_ target: String) throws {
        let outcome = try topology.reachability("check", "--", target)
        #expect([1, 2, 64].contains(outcome.status), "\(outcome)")
        #expect(outcome.status == 1 || !outcome.complaints.isEmpty)
        if outcome.status == 64 { #expect(outcome.output.isEmpty) }
    }
}
