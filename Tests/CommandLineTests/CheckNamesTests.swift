// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

@Suite("reachability check with names", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CheckNamesTests {
    private static let address = "127.0.0.9"

    @Test("resolves all at the same time and answers in the order of the targets")
    func concurrent() throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer(with: Self.address, isHolding: true)
        defer { server.stop() }
        let names = (0..<200).map { "n\($0).example" }
        let program = try RunningProgram(
            ["check", "--name-timeout", "60"] + words + names + ["127.0.0.1"], in: topology)
        // No query is answered, and all names have been asked for, in both families.
        for name in names { try server.wait { questions in questions.count { $0.name == name } >= 2 } }
        server.answer(with: Self.address)
        let words200 = (names + ["127.0.0.1"]).map {
            "\($0): Reachable,Local Address,Directly Reachable Address\n"
        }
        #expect(try program.outcome() == .init(status: 0, output: words200.joined(), complaints: ""))
    }

    @Test("prints the answers before a slow name at once")
    func slow() throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer(with: Self.address, isHolding: true)
        defer { server.stop() }
        let program = try RunningProgram(
            ["check", "--name-timeout", "60"] + words + ["127.0.0.1", "slow.example", "127.0.0.2"], in: topology)
        #expect(try program.nextLine() == "127.0.0.1: Reachable,Local Address,Directly Reachable Address")
        try server.wait(forQuestions: 2)
        server.release()
        #expect(try program.nextLine() == "slow.example: Reachable,Local Address,Directly Reachable Address")
        #expect(try program.nextLine() == "127.0.0.2: Reachable,Local Address,Directly Reachable Address")
    }

    @Test(
        "answers for the targets it can with few descriptors, and fails only for the others",
        .disabled(if: Sanitizer.isOn, "a sanitizer needs descriptors itself"))
    func fewDescriptors() throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer(with: Self.address)
        defer { server.stop() }
        let targets = ["127.0.0.1", "host.example", "127.0.0.2"]
        var failures: Set<[String]> = []
        for limit in 3...32 {
            let wrapper = ["/bin/sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"]
            let outcome = try RunningProgram(["check"] + words + targets, in: topology, wrapper: wrapper).outcome()
            // With too few, not even its libraries can be opened.
            if outcome.complaints.contains("shared libraries") { continue }
            let answers = outcome.output.split(separator: "\n").map(String.init)
            let failed = targets.filter { target in !answers.contains { $0.hasPrefix("\(target): Reachable") } }
            #expect(answers.count + failed.count == targets.count, "\(limit): \(outcome)")
            #expect(outcome.complaints.split(separator: "\n").count == failed.count, "\(limit): \(outcome)")
            #expect(outcome.status == (failed.isEmpty ? 0 : 2), "\(limit): \(outcome)")
            failures.insert(failed)
        }
        // Between all and none there is a limit at which only the name fails.
        #expect(failures.isSuperset(of: [["host.example"], []]))
    }

    @Test("explains a name, and prints it as JSON, with one lookup")
    func detailed() throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer(with: Self.address)
        defer { server.stop() }
        var outcome = try RunningProgram(["explain", "host.example"] + words, in: topology).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("host.example: Reachable,Local Address,Directly Reachable Address\n  name "))
        #expect(server.count("host.example") == 2)
        outcome = try RunningProgram(["check", "--json", "host.example", "::1"] + words, in: topology).outcome()
        let lines = try outcome.output.split(separator: "\n").map { try AnswerLine(String($0)) }
        #expect(lines.map(\.target) == ["host.example", "::1"])
        #expect(lines.map(\.addresses) == [["127.0.0.9"], ["::1"]])
        #expect(lines.map(\.time) == [nil, nil])
    }

    /// The files are mounted for this test's threads only.
    @Test("in a named namespace reads its files in /etc/netns, as `ip netns exec` does", .needs(.sysfs))
    func namespaceFiles() throws {
        let (topology, other) = (try Machine(sysfs: true), try Machine())
        try other.wire("eth0", address: "10.0.0.1/24")
        let server = other.run {
            NameServer(port: 53) { question in
                .answer(question.isA ? [.address(question.name, IPAddress(text: "10.0.0.53"))] : [])
            }
        }
        defer { server.stop() }
        func execute(_ script: String) throws {
            _ = try topology.run { try CallingThread.execute(["sh", "-ec", script]) }
        }
        try execute(
            """
            mount -t tmpfs tmpfs /etc
            mount -t tmpfs tmpfs /run
            mkdir -p /run/netns /etc/netns/blue
            touch /run/netns/blue
            mount --bind \(other.namespacePath) /run/netns/blue
            echo '10.0.0.7 listed.test' > /etc/hosts
            """)
        func answer(_ name: String) throws -> AnswerLine {
            let words = ["check", "--json", "--name-timeout", "60", "--netns", "blue", name]
            return try AnswerLine(RunningProgram(words, in: topology).outcome().output)
        }
        #expect(try answer("listed.test").addresses == ["10.0.0.7"])
        try execute("echo '10.0.0.8 listed.test' > /etc/netns/blue/hosts")
        #expect(try answer("listed.test").addresses == ["10.0.0.8"])
        // The one on 127.0.0.1, as no file names another.
        let found = try answer("other.test")
        #expect(found.addresses == ["10.0.0.53"] && found.interface == "eth0")
        try execute("echo 'nameserver 192.0.2.53' > /etc/netns/blue/resolv.conf")
        #expect(try answer("other.test").code == "no_name_server_reachable")
        try execute("echo 'nameserver 127.0.0.1' > /etc/netns/blue/resolv.conf")
        #expect(try answer("other.test").addresses == ["10.0.0.53"])
        try execute("echo 'hosts: files' > /etc/netns/blue/nsswitch.conf")
        #expect(try answer("other.test").addresses == [])
        #expect(try answer("listed.test").addresses == ["10.0.0.8"])
    }

    @Test("sends no query with the optimistic policy")
    func optimistic() throws {
        let topology = try Machine.routed()
        let (server, words) = topology.nameServer { _ in .fail(rcode: 3) }
        defer { server.stop() }
        let program = try RunningProgram(["check", "--policy", "optimistic", "host.example"] + words, in: topology)
        #expect(try program.outcome() == .init(status: 0, output: "host.example: Reachable\n", complaints: ""))
        #expect(server.questions.isEmpty)
    }

    @Test("says on a terminal, once, what it waits for if that takes long")
    func progress() throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer(with: Self.address, isHolding: true)
        defer { server.stop() }
        let program = try RunningProgram(
            ["check", "host.example", "127.0.0.1", "--name-timeout", "60", "--color=never"] + words, in: topology,
            onTerminalOf: TerminalSize(columns: 80, rows: 24))
        let line = "reachability: 1 of 2 answered, waiting for name servers\r\n"
        #expect(try program.read { $0.hasSuffix("\r\n") } == line)
        try server.wait(forQuestions: 2)
        server.answer(with: Self.address)
        let output = try program.outcome().output
        #expect(output.hasPrefix("host.example: Reachable"))
        #expect(output.contains("127.0.0.1: Reachable"))
    }
}
