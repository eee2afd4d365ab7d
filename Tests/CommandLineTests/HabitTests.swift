// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

/// What people expect of any program.
@Suite("The habits of the shell", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct HabitTests {
    private let topology: Machine

    init() throws {
        topology = try Machine.wired()
    }

    @Test("-6 chooses the addresses of a name that is watched")
    func families() throws {
        let (server, words) = topology.nameServer(with: "10.0.0.9")
        defer { server.stop() }
        let watch = try RunningProgram(["watch", "-6", "host.example"] + words, in: topology)
        #expect(try watch.nextLine().hasSuffix(" host.example: Not Reachable (no address of that family)"))
    }

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

    @Test("a user's number is found by the name")
    func users() {
        #expect(UserNames.number(of: "b", in: "a:x:1:1::/:\nb:x:22:1::/:\nc\n") == 22)
        #expect(UserNames.number(of: "c", in: "c:x\n") == nil)
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

    @Test("no two options share a name or a letter")
    func options() {
        let words = OptionTable.all.flatMap(\.words)
        #expect(Set(words).count == words.count)
    }
}
