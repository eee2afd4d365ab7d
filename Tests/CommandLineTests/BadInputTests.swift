// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("reachability with wrong arguments", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct BadInputTests {
    private let reachability: Program
    private let topology: Topology

    init() throws {
        topology = try Topology()
        reachability = Program(topology: topology)
    }

    /// Arguments, and words that the error must contain.
    static let refusals: [(String, [String])] = [
        ("", ["no target"]), ("--json", ["no target"]), ("check", ["no target"]),
        ("--bogus 127.0.0.1", ["--bogus", "--help"]), ("-x 127.0.0.1", ["-x"]), ("---- 127.0.0.1", ["----"]),
        ("--json --explain 127.0.0.1", ["--json", "--explain"]), ("--json=yes 127.0.0.1", ["--json"]),
        ("127.0.0.1 --interface", ["--interface", "needs a value"]), ("127.0.0.1 --mark", ["--mark", "needs a value"]),
        ("--interface= 127.0.0.1", ["--interface"]), ("--interface e0:1 127.0.0.1", ["'e0:1'", "colon"]),
        ("--interface averyveryverylongname 127.0.0.1", ["averyveryverylongname"]),
        ("--source junk 127.0.0.1", ["--source", "junk"]), ("--source 1.2.3.4.5 127.0.0.1", ["1.2.3.4.5"]),
        ("--mark x 127.0.0.1", ["--mark", "'x'"]), ("--mark -1 127.0.0.1", ["--mark"]),
        ("--mark 4294967296 127.0.0.1", ["4294967296"]),
        ("--mark 0x 127.0.0.1", ["0x"]), ("--uid nosuchuser 127.0.0.1", ["--uid", "nosuchuser", "/etc/passwd"]),
        ("--uid -1 127.0.0.1", ["--uid"]),
        ("--timeout never 127.0.0.1", ["--timeout", "never"]), ("--timeout -1 127.0.0.1", ["--timeout"]),
        ("--timeout 1e3 127.0.0.1", ["1e3"]), ("--timeout inf 127.0.0.1", ["inf"]),
        ("--timeout 1.2.3 127.0.0.1", ["1.2.3"]),
        ("--netns nosuchname 127.0.0.1", ["nosuchname"]), ("--netns /nowhere 127.0.0.1", ["/nowhere"]),
        ("fe80::1%e0:80", ["'e0:80'", "colon"]), ("fe80::1%0", ["'0'"]), (",", ["pair"]),
        ("1.2.3.4,5.6.7.8,9.9.9.9", ["pair"]),
        ("1.2.3.4,junk", ["junk"]), ("junk,1.2.3.4", ["junk"]), ("1.2.3.4,fe80::1%a/b", ["'a/b'"]),
        ("--source 10.0.0.1 10.0.0.1,8.8.8.8", ["10.0.0.1"]),
    ]

    @Test(
        "ends with 64, nothing on standard output, and an error that names what is wrong", arguments: refusals)
    func refused(_ line: String, _ words: [String]) throws {
        let outcome = try reachability.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.hasPrefix("reachability: "))
        for word in words { #expect(outcome.complaints.contains(word), "\(outcome.complaints)") }
    }

    @Test("prints a line for each mistake, and looks nothing up")
    func everyComplaint() throws {
        let outcome = try reachability("127.0.0.1", "--mark", "x", "--uid=", "--bogus", ",")
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.split(separator: "\n").count == 4)
    }

    @Test("prints no answers if one target is wrong")
    func oneBad() throws {
        let outcome = try reachability("127.0.0.1", "fe80::1%e0:80", "::1")
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
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
        let outcome = try reachability("--", target)
        #expect([1, 2, 64].contains(outcome.status), "\(outcome)")
        #expect(outcome.status == 1 || !outcome.complaints.isEmpty)
        if outcome.status == 64 { #expect(outcome.output.isEmpty) }
    }

    @Test("exits with 2 and an error if standard output is closed")
    func closedOutput() throws {
        let outcome = try reachability("127.0.0.1", after: ">&-")
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("cannot write the result"))
    }

    @Test("exits with 2 and an error if standard output is a full disk")
    func fullOutput() throws {
        let outcome = try reachability("127.0.0.1", after: ">/dev/full")
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("No space left"))
    }

    @Test("is ended by SIGPIPE, without a complaint, if the reader is gone")
    func brokenPipe() throws {
        // The reader ends before the program starts: the shell waits for it.
        let outcome = try reachability(
            "127.0.0.1", before: "d=$(mktemp -d); mkfifo $d/p; (exec 3<$d/p) & exec 4>$d/p; wait; rm -r $d;",
            after: ">&4")
        #expect(outcome.status == 141)
        #expect(outcome.complaints == "")
    }

    @Test("exits with 2 if both outputs are closed")
    func closedBoth() throws {
        #expect(try reachability("127.0.0.1", after: ">&- 2>&-").status == 2)
    }

    @Test("exits with 2 and an error if no descriptors are left")
    func noDescriptors() throws {
        let outcome = try reachability("127.0.0.1", "::1", before: "ulimit -n 4;")
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.contains("Too many open files"))
        #expect(outcome.complaints.contains("netlink socket"))
    }

    @Test("prints help and version on standard output, and exits with 0", arguments: ["--help", "-h", "--version"])
    func help(_ option: String) throws {
        let outcome = try reachability.run([option])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("reachab"))
        #expect(outcome.complaints.isEmpty)
    }
}
