// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("reachability watch, where packets go", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WatchWayTests {
    private let topology: Machine

    init() throws {
        topology = try Machine.wired()
        try topology.wire("eth1", address: "10.1.0.1/24")
        try topology.ip("route add default via 10.0.0.254")
    }

    /// The next line without its time and its target.
    private func next(_ program: RunningProgram) throws -> String {
        String(try program.nextLine().split(separator: ": ", maxSplits: 1).last ?? "")
    }

    @Test("is said if it is what changed: the interface, or only the gateway")
    func ways() throws {
        let program = try RunningProgram(["watch", "192.0.2.1"], in: topology)
        #expect(try next(program) == "Reachable")
        try topology.ip("route replace default via 10.1.0.254")
        #expect(try next(program) == "Reachable (by eth1, via 10.1.0.254)")
        try topology.ip("route replace default via 10.0.0.254")
        #expect(try next(program) == "Reachable (by eth0, via 10.0.0.254)")
        try topology.ip("route replace default via 10.0.0.253")
        #expect(try next(program) == "Reachable (by eth0, via 10.0.0.253)")
        try topology.ip("route del default")
        #expect(try next(program) == "Not Reachable (no route)")
        try topology.ip("route add default dev eth1")
        #expect(try next(program) == "Reachable,Directly Reachable Address")
    }

    @Test("of a name is said too")
    func names() throws {
        let (server, words) = topology.nameServer(with: "192.0.2.7")
        defer { server.stop() }
        let program = try RunningProgram(["watch", "host.example"] + words, in: topology)
        #expect(try next(program) == "Reachable")
        try topology.ip("route replace default via 10.0.0.253")
        #expect(try next(program) == "Reachable (by eth0, via 10.0.0.253)")
    }

    @Test(
        "with --explain each change has what caused the evaluation",
        arguments: [
            ("route del default", ["route"]), ("link set eth0-peer down", ["link"]),
            // The kernel announces the end of the address before it removes the route, and that one too.
            ("addr del 10.0.0.1/24 dev eth0", ["address", "route"]),
            ("rule add to 192.0.2.1 prohibit", ["rule"]),
        ])
    func causes(command: String, words: [String]) throws {
        let program = try RunningProgram(["watch", "--explain", "192.0.2.1"], in: topology)
        #expect(try next(program) == "Reachable")
        let json = try RunningProgram(["watch", "--explain", "--json", "192.0.2.1"], in: topology)
        #expect(try AnswerLine(json.nextLine()).after == [])
        // A look that belongs to the start has no cause, also if it is the first to find the change.
        try program.waitUntilAsleep()
        try json.waitUntilAsleep()
        try topology.ip(command)
        let line = try next(program)
        let after = try #require(line.split(separator: ", after: ").last).split(separator: ", ").map(String.init)
        #expect(line.hasPrefix("Not Reachable (") && !Set(words).isDisjoint(with: after), "\(line)")
        let object = try AnswerLine(json.nextLine())
        #expect(try !Set(words).isDisjoint(with: #require(object.after)), "\(object)")
    }

    @Test("with --explain the end of a route's lifetime is such an event")
    func expiry() throws {
        try topology.ip("addr add 2001:db8:1::1/64 dev eth0 nodad")
        try topology.ip("route add 2001:db8:2::/64 via fe80::9 dev eth0")
        let program = try RunningProgram(["watch", "--explain", "2001:db8:2::1"], in: topology)
        #expect(try next(program) == "Reachable")
        // The lifetime begins when the program watches.
        try topology.ip("route replace 2001:db8:2::/64 via fe80::9 dev eth0 expires 1")
        let line = try next(program)
        #expect(line.hasPrefix("Not Reachable (no route), after: ") && line.contains("expiry"), "\(line)")
    }

    @Test("with --explain another address of a name is such an event")
    func resolution() throws {
        let (server, words) = topology.nameServer(with: "192.0.2.7", ttl: 1)
        defer { server.stop() }
        try topology.ip("route add prohibit 192.0.2.8")
        let program = try RunningProgram(["watch", "--explain", "host.example"] + words, in: topology)
        #expect(try next(program) == "Reachable")
        server.answer(with: "192.0.2.8", ttl: 1)
        #expect(try next(program) == "Not Reachable (prohibited by a route or rule), after: name")
    }
}
