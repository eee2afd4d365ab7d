// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import reachability

/// What people type who know other tools.
@Suite("What newcomers type", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct NewcomerTests {
    private let topology: Machine

    init() throws {
        topology = try Machine.wired()
    }

    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    private func run(_ line: String) throws -> RunningProgram.Outcome {
        try RunningProgram(words(line), in: topology).outcome()
    }

    /// Starts the program with both outputs in one pipe.
    private func start(_ line: String, _ more: [String] = []) throws -> RunningProgram {
        try RunningProgram(words(line) + more, in: topology, wrapper: ["sh", "-c", "exec \"$@\" 2>&1", "sh"])
    }

    // MARK: Ports

    @Test(
        "wait connects to a target with a port, in each spelling",
        arguments: [
            "127.0.0.1:PORT", "localhost:PORT", "tcp://127.0.0.1:PORT", "tcp://user:secret@127.0.0.1:PORT/path",
        ])
    func connections(spelling: String) throws {
        let listener = try topology.run { () throws(Errno) in try TCPListener() }
        let open = spelling.replacing("PORT", with: "\(listener.port)")
        #expect(try run("wait -q \(open) -- echo ran") == .init(status: 0, output: "ran\n", complaints: ""))
        _ = try listener.accept()
        let closed = try topology.run { () throws(Errno) in try TCPListener().port }
        let outcome = try run("wait -q -t 0.3 \(spelling.replacing("PORT", with: "\(closed)")) -- echo ran")
        #expect(outcome.status == 124 && outcome.output == "")
        #expect(
            outcome.complaints.hasPrefix("reachability: no connection to '") && !outcome.complaints.contains("secret"))
    }

    /// cron(8) mails what is written to standard error.
    @Test("watch says nothing of a port")
    func watchedPort() throws {
        let watch = try start("watch 10.0.0.9:80 127.0.0.1")
        #expect(try (0..<2).map { _ in try watch.nextLine() }.allSatisfy { $0.contains(": Reachable,") })
    }

    // MARK: Words

    @Test("options have short forms, alone, together, and with their value")
    func shortOptions() {
        func parse(_ line: String) -> Request { ArgumentParser.parse(words(line)) }
        #expect(parse("check -j -i lo -t 2 ::1") == parse("check --json --interface lo --timeout 2 ::1"))
        #expect(parse("check -4v -ilo -t2s ::1") == parse("check --ipv4 --explain --interface=lo --timeout 2s ::1"))
        #expect(parse("wait -qt 5 ::1 -- x -q") == parse("wait --quiet --timeout 5 ::1 -- x -q"))
        #expect(parse("wait -v ::1") == parse("wait --explain ::1"))
        #expect(
            parse("path -ji lo")
                == .refuse(["-i does not fit `path`; use it with `check`, `watch`, `wait` or `export`"]))
    }

    // MARK: Progress

    @Test("wait tells what it waits for and why, again when that changes, and that it has come")
    func progress() throws {
        let program = try start("wait 192.0.2.1 10.0.0.9 -- echo ran")
        #expect(try program.nextLine() == "reachability: waiting for 192.0.2.1 (no route)")
        try topology.ip("route add prohibit 192.0.2.1")
        #expect(try program.nextLine() == "reachability: waiting for 192.0.2.1 (prohibited by a route or rule)")
        try topology.ip("route replace 192.0.2.1 via 10.0.0.254")
        #expect(try program.nextLine().wholeMatch(of: /reachability: starting echo after [0-9.]+ s/) != nil)
        #expect(try program.nextLine() == "ran")
        #expect(try run("wait -q 10.0.0.9") == .silent())
    }
}
