// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import NetworkFacts
import TestHosts
import TestTopology
import Testing

@testable import reachability

@Suite("reachability check with names", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CheckNamesTests {
    private static let address = IPAddress.v4(IPv4Address(127, 0, 0, 9))

    @Test("asks about all at once and answers in the order given")
    func concurrent() throws {
        let topology = try Topology()
        let (server, words) = topology.nameServer { question in
            .held(question.isA ? [.address(question.name, Self.address)] : [])
        }
        defer { server.stop() }
        let names = (0..<200).map { "n\($0).example" }
        let program = try RunningProgram(["--timeout", "60"] + words + names + ["127.0.0.1"], in: topology)
        // No name has been answered, and yet all have been asked about, in both families.
        for name in names { try server.wait { questions in questions.count { $0.name == name } >= 2 } }
        server.setScript { question in .answer(question.isA ? [.address(question.name, Self.address)] : []) }
        server.release()
        let words200 = (names + ["127.0.0.1"]).map {
            "\($0): Reachable,Local Address,Directly Reachable Address\n"
        }
        #expect(try program.outcome() == .init(status: 0, output: words200.joined(), complaints: ""))
    }

    @Test("explains a name, and tells it in JSON, with one lookup")
    func detailed() throws {
        let topology = try Topology()
        let (server, words) = topology.nameServer { question in
            .answer(question.isA ? [.address(question.name, Self.address)] : [])
        }
        defer { server.stop() }
        var outcome = try RunningProgram(["--explain", "host.example"] + words, in: topology).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("host.example: Reachable,Local Address,Directly Reachable Address\n  name "))
        #expect(server.count("host.example") == 2)
        outcome = try RunningProgram(["--json", "host.example", "::1"] + words, in: topology).outcome()
        let lines = try outcome.output.split(separator: "\n").map { try AnswerLine(String($0)) }
        #expect(lines.map(\.target) == ["host.example", "::1"])
        #expect(lines.map(\.addresses) == [["127.0.0.9"], ["::1"]])
        #expect(lines.map(\.time) == [nil, nil])
    }

    @Test("asks nobody under the optimistic policy")
    func optimistic() throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        try topology.ip("route add default via 10.0.0.254")
        let (server, words) = topology.nameServer { _ in .fail(rcode: 3) }
        defer { server.stop() }
        let program = try RunningProgram(["--policy", "optimistic", "host.example"] + words, in: topology)
        #expect(try program.outcome() == .init(status: 0, output: "host.example: Reachable\n", complaints: ""))
        #expect(server.questions.isEmpty)
    }

    @Test("shows on a terminal how far it is when that takes long, and takes that away before it answers")
    func progress() throws {
        let topology = try Topology()
        let (server, words) = topology.nameServer { question in
            .held(question.isA ? [.address(question.name, Self.address)] : [])
        }
        defer { server.stop() }
        let program = try RunningProgram(
            ["host.example", "127.0.0.1", "--timeout", "60"] + words, in: topology,
            onTerminalOf: TerminalSize(columns: 80, rows: 24))
        let line = "\r1 of 2 answered, waiting for name servers" + ControlSequence.clearToEndOfLine
        #expect(try program.read { $0.hasSuffix(ControlSequence.clearToEndOfLine) } == line)
        try server.wait(forQuestions: 2)
        server.setScript { question in .answer(question.isA ? [.address(question.name, Self.address)] : []) }
        server.release()
        let output = try program.outcome().output
        #expect(output.hasPrefix(ControlSequence.clearLine + "host.example: Reachable"))
        #expect(output.contains("127.0.0.1: Reachable"))
    }
}
