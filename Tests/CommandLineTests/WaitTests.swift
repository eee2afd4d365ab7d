// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("reachability wait", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WaitTests {
    private static let address = "10.0.0.9"

    @Test("returns when the last of them becomes reachable: a route, and a name that is resolved late")
    func routeAndName() throws {
        let topology = try Machine.wired()
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
        let topology = try Machine.wired()
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

    @Test("is ended by a signal, so that a shell and a service manager can tell", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer { _ in .silence }
        defer { server.stop() }
        let program = try RunningProgram(["wait", "-q", "host.example"] + words, in: topology)
        try server.wait(forQuestions: 1)
        program.send(signal)
        #expect(try program.outcome() == .silent(-signal))
    }

    @Test("says why the kernel refuses to answer", arguments: ["192.0.2.1", "192.0.2.1:80", "host.example"])
    func refusedTarget(target: String) throws {
        let topology = try Machine.routed()
        try topology.ip("xfrm policy add dir out dst 192.0.2.1/32 action block")
        let (server, words) = topology.nameServer(with: "192.0.2.1")
        defer { server.stop() }
        let program = try RunningProgram(
            ["wait", "--explain", target] + words, in: topology,
            wrapper: ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltProduct.path("deny-netlink"), "1"])
        try program.read { $0.contains("waiting for \(target) (Operation not permitted)") }
        #expect(!program.hasEnded)
        if target.contains(":") { return }
        try topology.ip("xfrm policy delete dir out dst 192.0.2.1/32")
        #expect(try program.outcome().status == 0)
    }

    @Test("looks again at an interval where the kernel announces no changes", arguments: ["-b 1", "1"])
    func noAnnouncements(refused: String) throws {
        let topology = try Machine.wired()
        let program = try RunningProgram(
            ["wait", "--explain", "192.0.2.1"], in: topology,
            wrapper: ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltProduct.path("deny-netlink")]
                + refused.split(separator: " ").map(String.init))
        _ = try program.read { $0.contains("waiting for 192.0.2.1") }
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.outcome().status == 0)
    }
}
