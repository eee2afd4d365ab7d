// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestHosts
import TestTopology
import Testing

@testable import reachability

/// What people type who know other tools.
@Suite("What newcomers type", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct NewcomerTests {
    private let topology: Topology

    init() throws {
        topology = try Topology.wired()
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

    @Test("a target in a list may have a port, too, and keeps the conditions of a connection")
    func lists() throws {
        func wait(_ words: String, for list: String) throws -> RunningProgram.Outcome {
            try RunningProgram(
                self.words("wait -q -t 0.1 \(words) -"), in: topology,
                wrapper: ["sh", "-c", "echo \(list) | \"$@\"", "sh"]
            ).outcome()
        }
        #expect(try wait("", for: "10.0.0.9:80").complaints.contains("no connection to '10.0.0.9:80'"))
        #expect(try wait("--mark 1", for: "10.0.0.9:80").status == 64)
        #expect(try wait("", for: "80").status == 64)
    }

    /// cron(8) mails what is written to standard error.
    @Test("check answers about the host, and only its explanation says where a connection is to be had")
    func checkedPort() throws {
        let answer = "10.0.0.9:80: Reachable,Directly Reachable Address\n"
        #expect(try run("check 10.0.0.9:80") == .init(status: 0, output: answer, complaints: ""))
        let note = "  target  the port 80 does not matter to routes; `reachability wait 10.0.0.9:80` connects\n"
        let explained = try run("explain 10.0.0.9:80")
        #expect(explained.output.contains(note) && explained.complaints == "")
        #expect(
            try run("explain http://me:secret@10.0.0.9:80/").output.contains(
                "; `reachability wait 10.0.0.9:80` connects"))
        #expect(try !run("wait http://me:secret@10.0.0.9:80/").complaints.contains("secret"))
        #expect(try !run("explain 10.0.0.9").output.contains("  target"))
        let watch = try start("watch 10.0.0.9:80 127.0.0.1")
        #expect(try (0..<2).map { _ in try watch.nextLine() }.allSatisfy { $0.contains(": Reachable,") })
    }

    // MARK: Words

    @Test("explain is check --explain, and version says what it was built from")
    func otherWords() throws {
        #expect(try run("explain 10.0.0.9") == run("check --explain 10.0.0.9"))
        #expect(try run("help explain") == run("help check"))
        let version = try run("version").output
        #expect(version == "reachability \(packageVersion) (c-ares \(version.split(separator: " ").last ?? "")")
        #expect(try run("-V").output == version)
    }

    @Test("options have short forms, alone, together, and with their value")
    func shortOptions() {
        func parse(_ line: String) -> Request { ArgumentParser.parse(words(line)) }
        #expect(parse("check -j -i lo -t 2 ::1") == parse("check --json --interface lo --timeout 2 ::1"))
        #expect(parse("check -4v -ilo -t2s ::1") == parse("check --ipv4 --explain --interface=lo --timeout 2s ::1"))
        #expect(parse("wait -qt 5 ::1 -- x -q") == parse("wait --quiet --timeout 5 ::1 -- x -q"))
        #expect(parse("wait -v ::1") == parse("wait --explain ::1"))
        #expect(
            parse("path -vi lo")
                == .refuse([
                    "-i does not fit `path`, which has no target; use it with `check`, `watch`, `wait` or `export`"
                ]))
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

    @Test("wait --explain tells each look, from the first one")
    func verbose() throws {
        let outcome = try run("wait -v -t 0 192.0.2.1")
        #expect(outcome.complaints.hasPrefix("reachability: waiting for 192.0.2.1 ("))
        #expect(outcome.complaints.hasSuffix("was not reachable when the time was up (no route)\n"))
    }

    @Test("a command without -- is waited for as a host, and wait says so")
    func forgottenDashes() throws {
        let (server, more) = topology.nameServer { _ in .fail(rcode: 3) }
        defer { server.stop() }
        let program = try start("wait 10.0.0.9 echo hi", more)
        let failure = "no such name, server 127.0.0.1:\(server.port)"
        var line = try program.nextLine()
        while line.contains("being resolved") { line = try program.nextLine() }
        let expected = "waiting for echo (\(failure); if this is a command, put -- before it), hi (\(failure))"
        #expect(line == "reachability: \(expected)")
    }

    // MARK: A pulled cable

    @Test("path says what check says, and keeps the route's gateway and source")
    func pulledCable() throws {
        try topology.ip("route add default via 10.0.0.254")
        try topology.ip("link set eth0-peer down")
        try topology.waitForLink("eth0", .lowerLayerDown)
        let lines = try run("path").output.split(separator: "\n")
        #expect(lines.first == "unsatisfied (the link below is down)")
        #expect(lines.dropFirst().first?.hasSuffix(" 10.0.0.1/24 via 10.0.0.254 (the link below is down)") == true)
        #expect(try run("check default").output == "default: Not Reachable (the link below is down)\n")
        let path = try PathLine(run("path -j").output)
        #expect(path.code == "lower_layer_down")
        let first = try #require(path.interfaces.first)
        #expect(first.code == path.code && first.reason == path.reason)
        #expect(first.gateways == ["10.0.0.254"] && !first.leadsOut)
        let check = try AnswerLine(run("check -j default").output)
        #expect(check.gateway == "10.0.0.254" && check.source == "10.0.0.1")
        #expect(check.code == path.code && check.reason == path.reason)
    }
}
