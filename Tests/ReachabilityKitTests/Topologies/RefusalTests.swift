// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

/// Routes and rules that refuse: an answer, and the answer is no.
@Suite("Routes and rules that refuse", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RefusalTests {
    static let routeTypes: [(String, RouteRefusal)] = [
        ("unreachable", .unreachable), ("prohibit", .prohibited), ("blackhole", .blackhole), ("throw", .noRoute),
    ]
    static let ruleTypes: [(String, RouteRefusal)] = [
        ("unreachable", .noRoute), ("prohibit", .prohibited), ("blackhole", .blackhole),
    ]
    static let defaults = "route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0"

    /// A refused host, its network, another host in it, and a target elsewhere.
    struct Targets: Sendable {
        let option, host, network, neighbour, elsewhere: String
    }

    static let families = [
        Targets(
            option: "-4", host: "192.0.2.1", network: "192.0.2.0/24", neighbour: "192.0.2.2", elsewhere: "8.8.8.8"),
        Targets(
            option: "-6", host: "2001:db8::1", network: "2001:db8::/32", neighbour: "2001:db8::2",
            elsewhere: "2001:db9::1"),
    ]

    @Test("a host route of a refusing type, on and off", arguments: routeTypes, families)
    func routes(_ type: (name: String, refusal: RouteRefusal), _ targets: Targets) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect(targets.host, are: .routed)
        try wired.topology.ip("\(targets.option) route add \(type.name) \(targets.host)")
        try wired.view.expect(targets.host, are: .nothing, .refused(type.refusal))
        if targets.option == "-4" { try wired.view.expect("::ffff:192.0.2.1", are: .nothing, .refused(type.refusal)) }
        try wired.view.expect(targets.neighbour, are: .routed)
        try wired.topology.ip("\(targets.option) route delete \(type.name) \(targets.host)")
        try wired.view.expect(targets.host, are: .routed)
    }

    @Test("a rule of a refusing type, on and off", arguments: ruleTypes, families)
    func rules(_ type: (name: String, refusal: RouteRefusal), _ targets: Targets) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect(targets.host, are: .routed)
        try wired.topology.ip("\(targets.option) rule add to \(targets.network) priority 100 \(type.name)")
        try wired.view.expect(targets.host, are: .nothing, .refused(type.refusal))
        try wired.view.expect(targets.elsewhere, "default", are: .routed)
        try wired.topology.ip("\(targets.option) rule delete priority 100")
        try wired.view.expect(targets.host, are: .routed)
    }

    @Test func `a throw route has the next rule's table looked at`() throws {
        let view = try Wired(
            """
            route add default via 10.0.0.254
            route add throw 192.0.2.0/24 table 1000
            route add default via 10.0.0.253 table 1000
            rule add table 1000 priority 100
            """
        ).view
        try view.expect("192.0.2.1", are: .routed)
        #expect(try view.reference("192.0.2.1").explain().gateway == "10.0.0.254")
        #expect(try view.reference("8.8.8.8").explain().gateway == "10.0.0.253")
    }

    @Test func `a blackhole next-hop object`() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("192.0.2.1", "2001:db8::1", are: .routed)
        try wired.topology.ip(
            """
            nexthop add id 5 blackhole
            -6 nexthop add id 6 blackhole
            route add 192.0.2.0/24 nhid 5
            -6 route add 2001:db8::/32 nhid 6
            """)
        try wired.view.expect("192.0.2.1", "2001:db8::1", are: .nothing, .refused(.blackhole))
    }

    @Test func `an unreachable default that guards against leaks is no default path`() throws {
        let wired = try Wired(
            """
            route add unreachable default metric 4278198272
            -6 route add unreachable default metric 4278198272
            """)
        try wired.view.expect(
            "8.8.8.8", "2001:db8::1", "default", "0.0.0.0", "::", are: .nothing, .refused(.unreachable))
        try wired.topology.ip("route add default via 10.0.0.254")
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        try wired.view.expect("2001:db8::1", are: .nothing)
        try wired.topology.ip("route delete default via 10.0.0.254")
        try wired.view.expect("8.8.8.8", "default", are: .nothing, .refused(.unreachable))
    }
}
