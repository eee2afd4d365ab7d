// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestHosts
import TestTopology
import Testing

@Suite("reachability wait", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WaitTests {
    private static let address = "10.0.0.9"

    @Test("returns at once if all are reachable already, also with a timeout of 0")
    func already() throws {
        let topology = try Topology.wired()
        #expect(try topology.reachability("wait", "-q", "127.0.0.1", "10.0.0.9") == .silent())
        #expect(try topology.reachability("wait", "-q", "--timeout", "0", "127.0.0.1", "10.0.0.9") == .silent())
    }

    @Test("returns when the last of them becomes reachable: a route, and a name that is resolved late")
    func routeAndName() throws {
        let topology = try Topology.wired()
        let (server, words) = topology.nameServer(with: Self.address, isHolding: true)
        defer { server.stop() }
        let program = try RunningProgram(["wait", "-q", "host.example", "192.0.2.1"] + words, in: topology)
        // It is waiting, and the name is not resolved.
        try server.wait(forQuestions: 2)
        server.answer(with: Self.address)
        try topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        #expect(try program.outcome() == .silent())
    }

    @Test("waits until all targets are reachable at the same time")
    func together() throws {
        let topology = try Topology.wired()
        try topology.ip("route add 192.0.2.1 via 10.0.0.254")
        let (server, words) = topology.nameServer(with: Self.address, isHolding: true)
        defer { server.stop() }
        let program = try RunningProgram(["wait", "-q", "192.0.2.1", "host.example"] + words, in: topology)
        try server.wait(forQuestions: 2)
        try topology.ip("route del 192.0.2.1")
        server.answer(with: Self.address)
        // The first target is not reachable when the second becomes so. The program knows both once it has nothing left
        // to do.
        try topology.ip("link set eth0-peer down")
        try topology.ip("route add 192.0.2.1 via 10.0.0.254")
        try program.waitUntilAsleep()
        try topology.ip("link set eth0-peer up")
        #expect(try program.outcome() == .silent())
    }

    @Test(
        "returns 124 when the time is up, as timeout(1), and names the missing targets", arguments: ["0", "0.05", ".1"])
    func timeout(seconds: String) throws {
        let outcome = try Topology.wired().reachability("wait", "-q", "--timeout", seconds, "127.0.0.1", "192.0.2.1")
        #expect(outcome == .complaint(124, "'192.0.2.1' was not reachable when the time was up (no route)"))
    }

    @Test("a name that does not exist, or is not resolved in time, is not reachable")
    func badNames() throws {
        let topology = try Topology.wired()
        let (server, words) = topology.nameServer { question in
            question.name == "silent.example" ? .silence : .fail(rcode: 3)
        }
        defer { server.stop() }
        // The server's answer has to come before the limit, so that one leaves room for a busy machine.
        let both = try RunningProgram(
            ["wait", "-q", "--timeout", "4", "none.example", "silent.example"] + words, in: topology
        ).outcome()
        #expect(both.status == 124 && both.output == "")
        #expect(
            Set(both.complaints.split(separator: "\n").map(String.init))
                == [
                    "reachability: 'none.example' was not reachable when the time was up (no such name)",
                    "reachability: 'silent.example' was not resolved when the time was up",
                ])
    }

    @Test("is ended by a signal, so that a shell and a service manager can tell", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
        let topology = try Topology()
        let (server, words) = topology.nameServer { _ in .silence }
        defer { server.stop() }
        let program = try RunningProgram(["wait", "-q", "host.example"] + words, in: topology)
        try server.wait(forQuestions: 1)
        program.send(signal)
        #expect(try program.outcome() == .silent(-signal))
    }

    @Test("says why the kernel refuses to answer", arguments: ["192.0.2.1", "192.0.2.1:80", "host.example"])
    func refusedTarget(target: String) throws {
        let topology = try Topology.routed()
        try topology.ip("xfrm policy add dir out dst 192.0.2.1/32 action block")
        let (server, words) = topology.nameServer(with: "192.0.2.1")
        defer { server.stop() }
        let program = try RunningProgram(
            ["wait", "--explain", "--recheck", "0.1", target] + words, in: topology,
            wrapper: ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltProduct.path("deny-netlink"), "1"])
        try program.read { $0.contains("waiting for \(target) (Operation not permitted)") }
        #expect(!program.hasEnded)
        if target.contains(":") { return }
        try topology.ip("xfrm policy delete dir out dst 192.0.2.1/32")
        #expect(try program.outcome().status == 0)
    }

    @Test("looks again at an interval where the kernel announces no changes", arguments: ["-b 1", "1"])
    func noAnnouncements(refused: String) throws {
        let topology = try Topology.wired()
        let program = try RunningProgram(
            ["wait", "--explain", "--recheck", "0.1", "192.0.2.1"], in: topology,
            wrapper: ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltProduct.path("deny-netlink")]
                + refused.split(separator: " ").map(String.init))
        let text = try program.read { $0.contains("waiting for 192.0.2.1") && $0.contains("looks again every 0.1 s") }
        #expect(text.contains("the kernel announces no changes to this program"))
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.outcome().status == 0)
    }
}
