// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import reachability

/// What people expect of any program.
@Suite("The habits of the shell", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct HabitTests {
    private let topology: Topology

    init() throws {
        topology = try Topology.wired()
    }

    private func run(_ line: String) throws -> RunningProgram.Outcome {
        try RunningProgram(line.split(separator: " ").map(String.init), in: topology).outcome()
    }

    // MARK: Answers

    @Test("the reason stands behind the answer, and JSON has a code for it")
    func reasons() throws {
        #expect(
            try run("check 192.0.2.1")
                == .init(status: 1, output: "192.0.2.1: Not Reachable (no route)\n", complaints: ""))
        try topology.ip("route add 192.0.2.1 via 10.0.0.254")
        try topology.ip("link set eth0-peer down")
        let outcome = try run("check --json 192.0.2.1 192.0.2.9")
        let lines = try outcome.output.split(separator: "\n").map { try AnswerLine(String($0)) }
        #expect(lines.map(\.code) == ["lower_layer_down", "no_route"])
        let scutil = try RunningProgram(["-r", "192.0.2.9"], in: topology, program: "scutil").outcome()
        #expect(scutil.output == "Not Reachable\n")
    }

    @Test(
        "a name that does not exist is not reachable; one without an answer is not determined, which is status 2",
        arguments: [(3, "no such name", 1), (2, "name servers failed", 2), (-1, "no name server answered", 2)])
    func names(rcode: Int, reason: String, status: Int32) throws {
        let (server, words) = topology.nameServer { _ in rcode < 0 ? .silence : .fail(rcode: UInt8(rcode)) }
        defer { server.stop() }
        // Only silence is waited for until the limit. The others have the usual one, as their answers come first.
        let limit = rcode < 0 ? ["--timeout", "0.3"] : []
        let outcome = try RunningProgram(["check"] + limit + ["host.example"] + words, in: topology).outcome()
        #expect(outcome == .init(status: status, output: "host.example: Not Reachable (\(reason))\n", complaints: ""))
    }

    @Test("--quiet prints no answer")
    func quiet() throws {
        #expect(try run("check -q 10.0.0.9") == .silent())
        #expect(try run("check --quiet 192.0.2.1") == .silent(1))
        #expect(try run("path -q").output == "")
    }

    @Test("path --explain prints the lookup of each family")
    func path() throws {
        try topology.ip("route add default via 10.0.0.254")
        let output = try run("path --explain").output
        #expect(
            output.contains(
                "\nIPv4 default route: Reachable\n  asked  the default route of IPv4, by the route to 0.0.0.1\n")
        )
        #expect(
            output.contains(
                "\nIPv6 default route: Not Reachable\n  asked  the default route of IPv6, by the route to 2000::\n"))
    }

    @Test("without a route, explain names each question once")
    func withoutRoute() throws {
        let questions = try run("explain default").output.matches(of: /asked  (.*)\n/).map(\.1)
        #expect(
            questions.map { $0.split(separator: " ").last } == [
                "0.0.0.1", "198.41.0.4", "2000::", "2001:503:ba3e::2:30",
            ])
    }

    // MARK: Targets

    @Test(
        "a port and the rest of a URL are ignored, and --explain says so once",
        arguments: [
            ("10.0.0.9:80", "the port 80 "), ("[::1]:443", "the port 443 "),
            ("http://user:secret@10.0.0.9:80/path?q=1#x", "only the host "), ("https://[::1]/", "only the host "),
        ])
    func ports(target: String, note: String) throws {
        // A password is not printed.
        #expect(try run("check \(target)").output.hasPrefix("\(target.replacing("user:secret@", with: "")): Reachable"))
        let explained = try run("check --explain \(target)").output
        #expect(explained.components(separatedBy: "\n  target  \(note)").count == 2, "\(explained)")
    }

    @Test("an interface that does not exist is not reachable, by number and by name")
    func interfaces() throws {
        let (number, name) = (try run("check fe80::1%99"), try run("check fe80::1%nosuch"))
        #expect(number.status == 1 && name.status == 1)
        #expect(name.output == "fe80::1%nosuch: Not Reachable (no such interface)\n")
        #expect(number.output.replacing("99", with: "nosuch") == name.output)
    }

    @Test("-4 and -6 choose the family of a name, of the default route, and of nothing else")
    func families() throws {
        try topology.ip("route add default via 10.0.0.254")
        #expect(try run("check -4 default").status == 0)
        #expect(try run("check -6 default").output == "default: Not Reachable (no route)\n")
        #expect(try run("check -4 -6 default").status == 0)
        #expect(try run("check -6 10.0.0.9").complaints.contains("it is an IPv4 address, and only IPv6 was asked for"))
        let (server, words) = topology.nameServer(with: "10.0.0.9")
        defer { server.stop() }
        let only4 = try RunningProgram(["check", "-4", "host.example"] + words, in: topology).outcome()
        #expect(only4.output == "host.example: Reachable,Directly Reachable Address\n")
        let only6 = try RunningProgram(["check", "-6", "host.example"] + words, in: topology).outcome()
        #expect(only6.output == "host.example: Not Reachable (no address of that family)\n")
        let watch = try RunningProgram(["watch", "-6", "host.example"] + words, in: topology)
        #expect(try watch.nextLine().hasSuffix(" host.example: Not Reachable (no address of that family)"))
    }

    @Test("--uid takes the name of a user")
    func users() throws {
        try topology.ip("route add default via 10.0.0.254")
        try topology.ip("rule add uidrange 0-0 prohibit")
        #expect(try run("check --uid root 192.0.2.1").status == 1)
        #expect(try run("check --uid 1 192.0.2.1").status == 0)
        #expect(UserNames.number(of: "b", in: "a:x:1:1::/:\nb:x:22:1::/:\nc\n") == 22)
        #expect(UserNames.number(of: "c", in: "c:x\n") == nil)
    }

    @Test("targets come from a file or from standard input, and a mistake is named with its line")
    func lists() throws {
        let folder = try MetricsFolder()
        let path = folder.path
        try "# all\r\n10.0.0.9 # the first\r\n\r\n  ::1\n".write(toFile: path, atomically: true, encoding: .utf8)
        let expected = ["10.0.0.9", "::1", "127.0.0.1"]
        for words in [["--file", path], ["-"], ["--file=-"]] {
            let script = "exec \"$@\" < \(path)"
            let outcome = try RunningProgram(
                ["check"] + words + ["127.0.0.1"], in: topology, wrapper: ["sh", "-c", script, "sh"]
            ).outcome()
            #expect(
                outcome.output.split(separator: "\n").map { String($0.prefix { $0 != " " }.dropLast()) } == expected)
        }
        try "::1\n10.0.0.0/8\n".write(toFile: path, atomically: true, encoding: .utf8)
        let outcome = try run("check --file \(path)")
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.complaints.hasPrefix("reachability: \(path):2: cannot use the target '10.0.0.0/8'"))
        try "# nothing\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try run("check --file \(path)").complaints == "reachability: there is no target in '\(path)'\n")
        #expect(try run("check --file /nowhere").complaints.contains("'/nowhere': No such file or directory"))
        withExtendedLifetime(folder) {}
    }

    // MARK: Colors

    @Test("color is for terminals, unless NO_COLOR or --color says otherwise")
    func colors() throws {
        let size = TerminalSize(columns: 100, rows: 24)
        func shown(_ words: [String], _ wrapper: [String] = []) throws -> String {
            try RunningProgram(["check"] + words, in: topology, wrapper: wrapper, onTerminalOf: size).outcome()
                .output
        }
        #expect(try shown(["::1", "192.0.2.1"]).contains("\u{1B}[31mNot Reachable (no route)\u{1B}[0m"))
        #expect(try !shown(["192.0.2.1"], ["/usr/bin/env", "NO_COLOR=1"]).contains("\u{1B}"))
        #expect(try shown(["192.0.2.1"], ["/usr/bin/env", "NO_COLOR="]).contains("\u{1B}[31m"))
        #expect(try !shown(["192.0.2.1"], ["/usr/bin/env", "TERM=dumb"]).contains("\u{1B}"))
        #expect(try !shown(["--color=never", "192.0.2.1"]).contains("\u{1B}"))
        #expect(try run("check --color always ::1").output.contains("\u{1B}[32mReachable,"))
        #expect(try run("check ::1").output == "::1: Reachable,Local Address,Directly Reachable Address\n")
        let table = try RunningProgram(["watch", "192.0.2.1"], in: topology, onTerminalOf: size)
        let text = try table.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(text.contains("\u{1B}[31mNot Reachable\u{1B}[0m") && text.contains("no route"))
    }
}

/// The parts that need no system.
@Suite("The words of the command line")
struct CommandLineWordTests {
    @Test("letters that are added, dropped, changed or swapped are counted")
    func spelling() {
        #expect(Spelling.distance("check", "check") == 0)
        #expect(Spelling.distance("chekc", "check") == 1)
        #expect(Spelling.distance("chck", "check") == 1)
        #expect(Spelling.distance("wtach", "watch") == 1)
        #expect(Spelling.distance("", "ab") == 2)
        #expect(Spelling.distance("mail", "wait") == 2)
        #expect(Spelling.distance("localhost", "path") > 2)
    }

    @Test(
        "a host may have any name behind a verb",
        arguments: ["batch", "match", "math", "patch", "port", "expert", "chef", "watcher", "watch", "help", "status"])
    func hosts(name: String) throws {
        let arguments = try ArgumentParser.accepted(["check", name])
        #expect(arguments.targets == [.word(name)])
    }

    @Test("durations may have a unit")
    func durations() {
        #expect(OptionValue.duration("2s") == .seconds(2))
        #expect(OptionValue.duration("250ms") == .milliseconds(250))
        #expect(OptionValue.duration("1.5m") == .seconds(90))
        #expect(OptionValue.duration("1h") == .seconds(3600))
        for text in ["s", "1x", "1sm", "", ".", "-1s", "9999h", "-1", "1e9", "inf", "1.2.3", "99999999"] {
            #expect(OptionValue.duration(text) == nil, "\(text)")
        }
    }

    @Test("a connection needs a host and a port")
    func connections() {
        func connection(_ text: String) -> ConnectionTarget? { (try? TargetWord(text, for: .wait))?.connection }
        #expect(connection("db.example:5432")?.port == 5432)
        #expect(connection("[2001:db8::1]:443")?.target == .address("2001:db8::1"))
        #expect(connection("tcp://me@[2001:db8::1]:443/")?.text == "[2001:db8::1]:443")
        for text in [
            "db.example", "db.example:", ":80", "db:0", "db:65536", "2001:db8::1", "default:80", "a,b:80",
            "256.1.1.1:80", "db:http", "http://db", "http://db:80", "tcp://db",
        ] {
            #expect(connection(text) == nil, "\(text)")
        }
    }

    /// The seconds in which something is told, and those for which the program is woken.
    private static let reminders: [(line: String, told: [Int], woken: [Int])] = [
        ("wait a -- x", [1, 30], [1, 30]), ("wait -v a -- x", Array(0...32), [30]), ("wait a", [1], [1]),
        ("wait -t 60 a -- x", [1], [1]), ("wait -q a -- x", [], []),
    ]

    @Test("standard error is told of --timeout, once, when a command has waited for 30 seconds", arguments: reminders)
    func reminder(line: String, told: [Int], woken: [Int]) throws {
        let arguments = try ArgumentParser.accepted(line.split(separator: " ").map(String.init))
        let moments = (0...32).map { BootTime(nanoseconds: 7_000_000_000 + UInt64($0) * 1_000_000_000) }
        let progress = WaitProgress(arguments, begin: moments[0])
        var lines: [Int: String] = [:]
        var deadlines: Set<BootTime> = []
        for (second, now) in moments.enumerated() {
            if let deadline = progress.deadline { deadlines.insert(deadline) }
            lines[second] = progress.line("waiting for a", at: now)
        }
        #expect(lines.keys.sorted() == told && deadlines == Set(woken.map { moments[$0] }))
        for (second, line) in lines {
            let reminder = "still waiting for a; without a limit, such as --timeout 60, this may be for ever"
            #expect(line == (second == 30 ? reminder : "waiting for a"))
        }
    }

    @Test("what follows -- of wait is the command")
    func command() throws {
        let arguments = try ArgumentParser.accepted(["wait", "::1", "--", "ls", "-l", "--help"])
        #expect(arguments.waiting.command == ["ls", "-l", "--help"])
        #expect(arguments.targets == [.word("::1")])
        #expect(
            ArgumentParser.parse(["wait", "::1", "--"])
                == .refuse(["no command follows `--`; write one, as in `-- ./server`, or leave out the `--`"]))
    }

    @Test("every reason has a code of its own")
    func codes() {
        #expect(Set(Reason.allCodes).count == Reason.allCodes.count)
        #expect(Reason.allCodes.allSatisfy { $0.wholeMatch(of: /[a-z_]+/) != nil })
    }

    @Test("no two options of a verb share a name")
    func options() {
        for verb in Verb.allCases {
            let names = OptionTable.all.filter { $0.verbs.contains(verb) }.flatMap {
                [$0.name, $0.short].compactMap(\.self)
            }
            #expect(Set(names).count == names.count, "\(verb)")
        }
    }
}
