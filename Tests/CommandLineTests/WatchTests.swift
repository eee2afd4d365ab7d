// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

@Suite("reachability watch", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WatchTests {
    @Test("prints the present state, and then a line with the time for each change")
    func lines() throws {
        let topology = try Machine.wired()
        let program = try RunningProgram(["watch", "192.0.2.1"], in: topology)
        unsafe #expect(try program.nextLine().wholeMatch(of: Self.line)?.1 == "192.0.2.1: Not Reachable (no route)")
        try topology.ip("route add default via 10.0.0.254")
        unsafe #expect(try program.nextLine().wholeMatch(of: Self.line)?.1 == "192.0.2.1: Reachable")
        try topology.ip("link set eth0-peer down")
        unsafe #expect(
            try program.nextLine().wholeMatch(of: Self.line)?.1 == "192.0.2.1: Not Reachable (the link below is down)")
        try topology.ip("link set eth0-peer up")
        unsafe #expect(try program.nextLine().wholeMatch(of: Self.line)?.1 == "192.0.2.1: Reachable")
        program.send(SIGTERM)
        #expect(try program.outcome() == .silent(-SIGTERM))
    }

    @Test("traces what was announced, looked at and told, with times, if the environment asks for it")
    func trace() throws {
        let topology = try Machine.routed()
        let program = try RunningProgram(
            ["watch", "192.0.2.1"], in: topology, wrapper: ["/usr/bin/env", "REACHABILITY_TRACE=looks"])
        _ = try program.nextLine()
        try topology.ip("route del default")
        _ = try program.nextLine()
        program.send(SIGTERM)
        let lines = try program.outcome().complaints.split(separator: "\n")
        var rest = lines.compactMap { $0.wholeMatch(of: /\d+\.\d{6} (.*)/)?.1 }[...]
        #expect(rest.count == lines.count)
        for expected in [
            "looked at 192.0.2.1: Reachable (a gateway leads to the target)", "told of 192.0.2.1: Reachable",
            "announced: route 0.0.0.0/0 deleted",
            "looked at 192.0.2.1 because of route: Not Reachable (there is no route to it)",
            "told of 192.0.2.1: Not Reachable",
        ] {
            let position = rest.firstIndex { $0 == expected }
            #expect(position != nil, "no \(expected) in \(lines)")
            if let position { rest = rest[(position + 1)...] }
        }
    }

    /// RFC 3339 in UTC, then the rest.
    private nonisolated(unsafe) static let line = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*)/

    @Test("prints a JSON object for each state, with the time and every key, also if only the interface differs")
    func json() throws {
        let topology = try Machine.wired()
        try topology.wire("eth1", address: "10.1.0.1/24")
        try topology.ip("route add default via 10.0.0.254")
        let program = try RunningProgram(["watch", "--json", "192.0.2.1"], in: topology)
        let text = try program.nextLine()
        let first = try AnswerLine(text)
        let time = try #require(first.time)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        // All else is as `check` prints it.
        let answer = try topology.reachability("check", "--json", "192.0.2.1").output
        #expect(text.replacing("\"time\":\"\(time)\",", with: "") + "\n" == answer)
        #expect(first.interface == "eth0" && first.gateway == "10.0.0.254")

        try topology.ip("route replace default via 10.1.0.254")
        var line = try AnswerLine(program.nextLine())
        #expect(line.time ?? "" >= time)
        #expect(line.flags == first.flags)
        #expect(line.interface == "eth1")
        #expect(line.gateway == "10.1.0.254")

        try topology.ip("route del default")
        line = try AnswerLine(program.nextLine())
        #expect(line.flags == 0)
        #expect(!line.reachable)
        #expect(line.interface == nil)
        #expect(line.gateway == nil)
    }

    // MARK: A reader that stalls

    @Test("what was not written yet of a target is replaced by its newest line while the reader takes nothing")
    func stalledReader() throws {
        let topology = try Machine.routed()
        let targets = (0..<2000).map { "10.9.\($0 / 250).\($0 % 250)" }
        let program = try RunningProgram(["watch"] + targets, in: topology)
        // The first lines are more than the pipe takes.
        try program.waitUntilAsleep()
        for change in ["del default", "add default via 10.0.0.253", "del default"] {
            try topology.ip("route \(change)")
            try program.waitUntilAsleep()
        }
        var (written, newest): ([String], [String: Int]) = ([], [:])
        while newest.count < targets.count {
            let line = try #require(try program.nextLine().split(separator: " ", maxSplits: 1).last)
            let parts = line.split(separator: ": ").map(String.init)
            if parts[1] == "Reachable" { written.append(parts[0]) } else { newest[parts[0], default: 0] += 1 }
        }
        // Each target has one line of those that were written before, or none, and one of the newest state.
        #expect(written.count < targets.count && Set(written).count == written.count)
        #expect(newest.values.allSatisfy { $0 == 1 })
        // Nothing else is left.
        try topology.ip("route add 10.9.0.0 via 10.0.0.254")
        #expect(try program.nextLine().hasSuffix(" 10.9.0.0: Reachable"))
    }

    // MARK: Names

    @Test("prints nothing for a name before it is resolved, and then watches the routes of its addresses")
    func names() throws {
        let topology = try Machine.wired()
        try topology.ip("route add default via 10.0.0.254")
        let (server, words) = topology.nameServer(with: "192.0.2.7", isHolding: true)
        defer { server.stop() }
        let program = try RunningProgram(["watch", "--json", "host.example", "127.0.0.1"] + words, in: topology)
        // An address is known at once.
        #expect(try AnswerLine(program.nextLine()).target == "127.0.0.1")
        try server.wait(forQuestions: 2)
        server.answer(with: "192.0.2.7")
        var line = try AnswerLine(program.nextLine())
        #expect(line.target == "host.example")
        #expect(line.flags == 2)
        #expect(line.addresses == ["192.0.2.7"])
        try topology.ip("route add prohibit 192.0.2.7")
        line = try AnswerLine(program.nextLine())
        #expect(line.target == "host.example")
        #expect(line.flags == 0)
    }

    @Test("a name whose servers fail is not reachable, and does not delay other targets")
    func failingName() throws {
        let topology = try Machine.wired()
        let (server, words) = topology.nameServer { _ in .fail(rcode: 2) }
        defer { server.stop() }
        let program = try RunningProgram(["watch", "host.example", "192.0.2.1"] + words, in: topology)
        let first = [try program.nextLine(), try program.nextLine()]
        #expect(first.contains { $0.hasSuffix(" host.example: Not Reachable (name servers failed)") })
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
    }

    /// Sockets are connected there, which a policy of XFRM refuses for one target, as a BPF program on a control group may.
    @Test(
        "says of a target that the kernel refuses to answer about why, once, and when that ends, and goes on with the others"
    )
    func refusedTarget() throws {
        let topology = try Machine.routed()
        let policy = "dir out dst 192.0.2.1/32"
        try topology.ip("xfrm policy add \(policy) action block")
        let denied = [BuiltProduct.path("deny-netlink"), "1"]
        let words = ["watch", "192.0.2.1", "192.0.2.2"]
        let program = try RunningProgram(words, in: topology, wrapper: denied)
        let first = Set([try program.nextLine(), try program.nextLine()].map { $0.split(separator: "Z ").last })
        #expect(first == ["192.0.2.1: Unknown (Operation not permitted)", "192.0.2.2: Reachable"])
        try topology.ip("route add unreachable 192.0.2.2")
        #expect(try program.nextLine().contains(" 192.0.2.2: Not Reachable ("))
        try topology.ip("xfrm policy delete \(policy)")
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try topology.ip("xfrm policy add \(policy) action block\nroute del unreachable 192.0.2.2")
        let last = Set([try program.nextLine(), try program.nextLine()].map { $0.split(separator: "Z ").last })
        #expect(last == first)
        program.send(SIGTERM)
        let complaints = try program.outcome().complaints.split(separator: "\n")
        #expect(
            complaints.count { $0 == "reachability: cannot look up a route '192.0.2.1': Operation not permitted" } == 2
        )

        let json = try RunningProgram(["watch", "--json", "192.0.2.1"], in: topology, wrapper: denied)
        let line = try json.nextLine()
        let answer = try AnswerLine(line)
        #expect(answer.flags == 0 && !answer.reachable && line.contains(#""code":"error""#), "\(line)")
        // The table is not drawn before all of its targets have a state.
        let table = try RunningProgram(
            ["watch", "192.0.2.1", "192.0.2.2"], in: topology, wrapper: denied,
            onTerminalOf: TerminalSize(columns: 140, rows: 24))
        let text = try table.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(text.contains("Unknown") && text.contains("Operation not permitted"), "\(text)")
    }

    // MARK: The end

    @Test("is ended by a signal, so that a shell and a service manager can tell", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
        let program = try RunningProgram(["watch", "127.0.0.1"], in: Machine())
        _ = try program.nextLine()
        program.send(signal)
        #expect(try program.outcome() == .silent(-signal))
    }

    @Test(
        "continues after a signal that was ignored at its start, as shells do for background jobs, and nohup",
        arguments: [SIGINT, SIGHUP])
    func ignored(signal: Int32) throws {
        let topology = try Machine.wired()
        let program = try RunningProgram(["watch", "192.0.2.1"], in: topology, ignoring: signal)
        _ = try program.nextLine()
        program.send(signal)
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.nextLine().hasSuffix(": Reachable"))
    }

    @Test("can be ended while the reader of its pipe reads nothing")
    func fullPipe() throws {
        // More output than a pipe holds.
        let targets = Array(repeating: "127.0.0.1", count: 1000)
        let program = try RunningProgram(["watch", "--json"] + targets, in: Machine())
        _ = try program.nextLine()
        program.send(SIGINT)
        #expect(try program.outcome().status == -SIGINT)
    }

    @Test("ends without a complaint when its reader is gone, as `watch | head` does")
    func closedPipe() throws {
        let topology = try Machine()
        let program = try RunningProgram(
            ["watch", "127.0.0.1"], in: topology,
            wrapper: ["bash", "-c", "\"$0\" \"$@\" | head -n 1; echo ${PIPESTATUS[0]}"])
        let outcome = try program.outcome()
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last == "141")
        #expect(outcome.complaints == "")
    }

    @Test("ends with an error if its output is closed")
    func noOutput() throws {
        let outcome = try RunningProgram(
            ["watch", "127.0.0.1"], in: Machine(), wrapper: ["bash", "-c", "\"$0\" \"$@\" >&-; echo $? >&2"]
        ).outcome()
        #expect(outcome.output == "")
        #expect(outcome.complaints == "reachability: cannot write the result: Bad file descriptor\n2\n")
    }

    @Test(
        "looks again at an interval where the kernel announces no changes",
        arguments: [("-b 13", "netlink-questions"), ("1", "udp"), ("97", "udp")])
    func noAnnouncements(refused: String, method: String) throws {
        let topology = try Machine.wired()
        let program = try RunningProgram(
            ["watch", "--json", "192.0.2.1"], in: topology,
            wrapper: [BuiltProduct.path("deny-netlink")] + refused.split(separator: " ").map(String.init))
        let first = try AnswerLine(program.nextLine())
        #expect(!first.reachable && first.answeredBy == method)
        try topology.ip("route add default via 10.0.0.254")
        let second = try AnswerLine(program.nextLine())
        #expect(second.reachable && second.interface == "eth0" && second.source == "10.0.0.1")
        #expect(second.gateway == (method == "udp" ? nil : "10.0.0.254"))
        program.send(SIGTERM)
        #expect(try program.outcome() == .silent(-SIGTERM))
    }
}
