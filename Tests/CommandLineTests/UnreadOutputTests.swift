// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

/// The program while nobody reads what it writes, and its pipe or terminal is full.
@Suite("reachability whose output nobody reads", .timeLimit(.minutes(10)), .needs(.namespaces))
struct UnreadOutputTests {
    /// Runs the program with an output that was filled before, and of which nothing is read.
    ///
    /// - Parameter stream: the number of the output.
    private static func start(
        _ words: [String], filled stream: Int, in topology: Machine, under: [String] = [],
        onTerminalOf size: TerminalSize? = nil
    ) throws -> RunningProgram {
        // The file is opened once more, so that only dd does not wait for room.
        let fill = "exec 3>&\(stream); dd if=/dev/zero bs=64 of=/proc/self/fd/3 oflag=nonblock 2>/dev/null; exec 3>&-"
        return try RunningProgram(
            words, in: topology, wrapper: ["sh", "-c", "\(fill); exec \"$0\" \"$@\""] + under, onTerminalOf: size)
    }

    /// Waits until the wrapper has become the program, which then has nothing to do but writing.
    private static func waitUntilStuck(_ program: RunningProgram) throws {
        try ProcessState.wait("it runs") {
            try CallingThread.execute(["cat", "/proc/\(program.identifier)/comm"]) == "reachability\n"
        }
        try program.waitUntilAsleep()
    }

    private static func expectEnd(of program: RunningProgram, by signal: Int32) throws {
        program.send(signal)
        // Before anything is read.
        try ProcessState.wait("the signal ends it") { program.hasEnded }
        #expect(try program.outcome().status == -signal)
    }

    @Test("`wait` ends at its limit, with its status, also if nobody reads its errors")
    func limit() throws {
        let topology = try Machine.wired()
        for words in [["--explain"], ["--quiet"], []] {
            let program = try Self.start(
                ["wait", "--timeout", "1.2"] + words + ["192.0.2.1"], filled: 2, in: topology)
            #expect(try program.outcome().status == 124, "\(words)")
        }
    }

    @Test("`wait` runs its command, and ends by a signal, also if nobody reads what it waits for")
    func waiting() throws {
        let topology = try Machine.wired()
        let words = ["wait", "--explain", "192.0.2.1", "--", "sh", "-c", "exit 7"]
        let (first, second) = try (
            Self.start(words, filled: 2, in: topology), Self.start(words, filled: 2, in: topology)
        )
        for program in [first, second] { try Self.waitUntilStuck(program) }
        try Self.expectEnd(of: first, by: SIGTERM)
        try topology.ip("route add default via 10.0.0.254")
        #expect(try second.outcome().status == 7)
    }

    @Test("`watch` prints its results also if nobody reads its errors")
    func errors() throws {
        let topology = try Machine.wired()
        let program = try Self.start(
            ["watch", "192.0.2.1"], filled: 2, in: topology,
            under: [BuiltProduct.path("deny-netlink"), "-b", "13"])
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Not Reachable (no route)"))
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try Self.expectEnd(of: program, by: SIGTERM)
    }

    @Test(
        "`watch` ends by a signal while nobody reads that descriptors are lacking",
        .disabled(if: Sanitizer.isOn, "a sanitizer opens files itself"))
    func descriptors() throws {
        let topology = try Machine.routed()
        for limit in 4...16 {
            let program = try Self.start(
                ["watch", "192.0.2.1"], filled: 2, in: topology,
                under: ["sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\""])
            // Unless it has ended with an error that was dropped.
            try? Self.waitUntilStuck(program)
            if !program.hasEnded { program.send(SIGTERM) }
            try ProcessState.wait("it ends") { program.hasEnded }
            #expect([2, -SIGTERM].contains(try program.outcome().status))
        }
    }

    @Test("`watch` ends by a signal on a terminal that takes nothing more", arguments: [SIGTERM, SIGINT, SIGHUP])
    func terminal(signal: Int32) throws {
        // The table has more than the terminal takes.
        let targets = (0..<250).map { "192.0.2.\($0)" }
        let program = try RunningProgram(
            ["watch"] + targets, in: Machine(), onTerminalOf: TerminalSize(columns: 200, rows: 300))
        try Self.waitUntilStuck(program)
        try Self.expectEnd(of: program, by: signal)
    }

    @Test("`watch` ends by a signal on a terminal that took nothing from the start")
    func fullTerminal() throws {
        let program = try Self.start(
            ["watch", "192.0.2.1"], filled: 1, in: Machine(), onTerminalOf: TerminalSize(columns: 80, rows: 24))
        try Self.waitUntilStuck(program)
        try Self.expectEnd(of: program, by: SIGTERM)
    }

    @Test("what prints once ends by a signal, also if names were resolved", arguments: ["check", "export"])
    func once(verb: String) throws {
        let targets = (0..<2000).map { "10.9.\($0 / 250).\($0 % 250)" }
        let program = try RunningProgram([verb, "localhost"] + targets, in: Machine())
        try Self.waitUntilStuck(program)
        try Self.expectEnd(of: program, by: SIGTERM)
    }

    @Test("a terminal gets long lines whole, and of any length")
    func longLines() throws {
        let label = String(repeating: "n", count: 60)
        let names = (0..<40).map { "\(label).\(label).\(label).n\($0).invalid" }
        let program = try RunningProgram(
            ["check"] + names, in: Machine(), onTerminalOf: TerminalSize(columns: 80, rows: 24))
        let printed = try program.read()
        for name in names { #expect(printed.contains("\(name): ")) }
        #expect(try program.outcome().status == 1)
    }
}

/// The first process of a PID namespace is ended by no signal that it does not handle (pid_namespaces(7)).
@Suite("The programs as the first process of a container", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FirstProcessTests {
    /// Standard input never ends, and the pipe of standard output is full.
    private static let stuck = """
        folder=$(mktemp -d); mkfifo "$folder/in"; exec 0<>"$folder/in" 3>&1; rm -r "$folder"
        dd if=/dev/zero bs=64 of=/proc/self/fd/3 oflag=nonblock 2> /dev/null; exec 3>&-; exec "$@"
        """
    private static let container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]

    @Test(
        "end by a signal while they read or write",
        arguments: [
            "reachability check -", "reachability watch -", "reachability wait -", "reachability export --file -",
            "reachability check ::1", "reachability path", "reachability export ::1", "reachability help",
            "reachability completions bash", "reachability version", "reachability watch ::1", "scutil",
            "scutil --help",
            "scutil -r ::1", "scutil --nwi", "scutil -W --nwi",
        ], [SIGTERM, SIGINT])
    func signals(line: String, signal: Int32) throws {
        let words = line.split(separator: " ").map(String.init)
        let program = try RunningProgram(
            Array(words.dropFirst()), in: Machine.wired(),
            wrapper: ["sh", "-c", Self.stuck, "sh"] + Self.container, program: words[0])
        try ProcessState.wait("the signal ends it") {
            // The kernel drops what comes before the program has begun.
            let parent = program.identifier
            let child = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
            if let number = child.flatMap({ pid_t($0.trimmingSpaces) }),
                (try? String(contentsOfFile: "/proc/\(number)/comm", encoding: .utf8)) == "\(words[0])\n"
            {
                kill(number, signal)
            }
            return program.hasEnded
        }
        #expect(try program.outcome().status == 128 + signal)
    }
}

/// A filter of system calls refuses epoll_wait(2).
@Suite("The programs that may not wait for events", .timeLimit(.minutes(10)), .needs(.namespaces))
struct WithoutEventsTests {
    private static func outcome(_ words: String, _ program: String) throws -> RunningProgram.Outcome {
        try RunningProgram(
            words.split(separator: " ").map(String.init), in: Machine(),
            wrapper: [BuiltProduct.path("deny-netlink"), "-e", "1"], program: program
        ).outcome()
    }

    @Test("say why", arguments: ["watch ::1", "wait ::1", "path --watch"])
    func reachability(words: String) throws {
        #expect(
            try Self.outcome(words, "reachability")
                == .complaint(2, "cannot wait for changes: Operation not permitted"))
    }

    @Test("say why after the present state", arguments: ["-W --nwi", "-W -r ::1", "-W -r localhost"])
    func scutil(words: String) throws {
        let outcome = try Self.outcome(words, "scutil")
        #expect(
            outcome.status == 1 && outcome.complaints == "scutil: cannot watch: Operation not permitted\n", "\(outcome)"
        )
    }
}
