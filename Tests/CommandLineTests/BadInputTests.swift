// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("reachability, badly used", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct BadInputTests {
    private let reachability: Program
    private let topology: Topology

    init() throws {
        topology = try Topology()
        reachability = Program(topology: topology)
    }

    /// Words of the command line, and what the complaint must name.
    static let refusals: [(String, [String])] = [
        ("", ["no target"]), ("--json", ["no target"]), ("check", ["no target"]),
        ("--bogus 127.0.0.1", ["--bogus", "--help"]), ("-x 127.0.0.1", ["-x"]), ("---- 127.0.0.1", ["----"]),
        ("--json --explain 127.0.0.1", ["--json", "--explain"]), ("--json=yes 127.0.0.1", ["--json"]),
        ("127.0.0.1 --interface", ["--interface", "needs a value"]), ("127.0.0.1 --mark", ["--mark", "needs a value"]),
        ("--interface= 127.0.0.1", ["--interface"]), ("--interface nothing 127.0.0.1", ["nothing"]),
        ("--interface averyveryverylongname 127.0.0.1", ["averyveryverylongname"]),
        ("--source junk 127.0.0.1", ["--source", "junk"]), ("--source 1.2.3.4.5 127.0.0.1", ["1.2.3.4.5"]),
        ("--mark x 127.0.0.1", ["--mark", "'x'"]), ("--mark -1 127.0.0.1", ["--mark"]),
        ("--mark 4294967296 127.0.0.1", ["4294967296"]),
        ("--mark 0x 127.0.0.1", ["0x"]), ("--uid root 127.0.0.1", ["--uid", "root"]), ("--uid -1 127.0.0.1", ["--uid"]),
        ("--timeout never 127.0.0.1", ["--timeout", "never"]), ("--timeout -1 127.0.0.1", ["--timeout"]),
        ("--timeout 1e3 127.0.0.1", ["1e3"]), ("--timeout inf 127.0.0.1", ["inf"]),
        ("--timeout 1.2.3 127.0.0.1", ["1.2.3"]),
        ("--netns nosuchname 127.0.0.1", ["nosuchname"]), ("--netns /nowhere 127.0.0.1", ["/nowhere"]),
        ("fe80::1%nothing", ["nothing"]), ("fe80::1%0", ["'0'"]), (",", ["pair"]),
        ("1.2.3.4,5.6.7.8,9.9.9.9", ["pair"]),
        ("1.2.3.4,junk", ["junk"]), ("junk,1.2.3.4", ["junk"]), ("1.2.3.4,fe80::1%nothing", ["nothing"]),
        ("--source 10.0.0.1 10.0.0.1,8.8.8.8", ["10.0.0.1"]),
    ]

    @Test(
        "is refused with 64, nothing on standard output, and a complaint that names what is wrong", arguments: refusals)
    func refused(_ line: String, _ words: [String]) throws {
        let outcome = try reachability.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.hasPrefix("reachability: "))
        for word in words { #expect(outcome.complaints.contains(word), "\(outcome.complaints)") }
    }

    @Test("has every bad argument told, a line each, and nothing asked")
    func everyComplaint() throws {
        let outcome = try reachability("127.0.0.1", "--mark", "x", "--uid", "y", "--bogus", ",")
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.split(separator: "\n").count == 4)
    }

    @Test("with one bad target among good ones prints no answers at all")
    func oneBad() throws {
        let outcome = try reachability("127.0.0.1", "fe80::1%nothing", "::1")
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "survives any garbage for a target",
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

    @Test("with standard output closed exits with 2 and says so")
    func closedOutput() throws {
        let outcome = try reachability("127.0.0.1", after: ">&-")
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("cannot write the result"))
    }

    @Test("with a full disk behind standard output exits with 2 and says so")
    func fullOutput() throws {
        let outcome = try reachability("127.0.0.1", after: ">/dev/full")
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("No space left"))
    }

    @Test("with a reader that has gone away exits with 2, and not by a signal")
    func brokenPipe() throws {
        // The reader ends before the program starts: the shell waits for it.
        let outcome = try reachability(
            "127.0.0.1", before: "d=$(mktemp -d); mkfifo $d/p; (exec 3<$d/p) & exec 4>$d/p; wait; rm -r $d;",
            after: ">&4")
        #expect(outcome.status == 2)
        #expect(outcome.complaints.contains("cannot write the result"))
    }

    @Test("with both outputs closed still exits with 2")
    func closedBoth() throws {
        #expect(try reachability("127.0.0.1", after: ">&- 2>&-").status == 2)
    }

    @Test("with no descriptors left exits with 2 and says what is missing")
    func noDescriptors() throws {
        let outcome = try reachability("127.0.0.1", "::1", before: "ulimit -n 4;")
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaints.contains("Too many open files"))
        #expect(outcome.complaints.contains("netlink socket"))
    }

    @Test("helps, and tells its version, on standard output and with 0", arguments: ["--help", "-h", "--version"])
    func help(_ option: String) throws {
        let outcome = try reachability.run([option])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("reachab"))
        #expect(outcome.complaints.isEmpty)
    }
}
