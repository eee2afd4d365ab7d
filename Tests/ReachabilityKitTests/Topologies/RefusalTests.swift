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

    @Test("an IPv4 host route of a refusing type, on and off", arguments: routeTypes)
    func routes4(_ type: String, _ refusal: RouteRefusal) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("192.0.2.1", are: .routed)
        try wired.topology.ip("route add \(type) 192.0.2.1")
        try wired.view.expect("192.0.2.1", "::ffff:192.0.2.1", are: .nothing, .refused(refusal))
        try wired.view.expect("192.0.2.2", are: .routed)
        try wired.topology.ip("route delete \(type) 192.0.2.1")
        try wired.view.expect("192.0.2.1", are: .routed)
    }

    @Test("an IPv6 host route of a refusing type, on and off", arguments: routeTypes)
    func routes6(_ type: String, _ refusal: RouteRefusal) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("2001:db8::1", are: .routed)
        try wired.topology.ip("-6 route add \(type) 2001:db8::1")
        try wired.view.expect("2001:db8::1", are: .nothing, .refused(refusal))
        try wired.view.expect("2001:db8::2", are: .routed)
        try wired.topology.ip("-6 route delete \(type) 2001:db8::1")
        try wired.view.expect("2001:db8::1", are: .routed)
    }

    @Test("an IPv4 rule of a refusing type, on and off", arguments: ruleTypes)
    func rules4(_ type: String, _ refusal: RouteRefusal) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("192.0.2.1", are: .routed)
        try wired.topology.ip("rule add to 192.0.2.0/24 priority 100 \(type)")
        try wired.view.expect("192.0.2.1", are: .nothing, .refused(refusal))
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        try wired.topology.ip("rule delete priority 100")
        try wired.view.expect("192.0.2.1", are: .routed)
    }

    @Test("an IPv6 rule of a refusing type, on and off", arguments: ruleTypes)
    func rules6(_ type: String, _ refusal: RouteRefusal) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("2001:db8::1", are: .routed)
        try wired.topology.ip("-6 rule add to 2001:db8::/32 priority 100 \(type)")
        try wired.view.expect("2001:db8::1", are: .nothing, .refused(refusal))
        try wired.view.expect("2001:db9::1", are: .routed)
        try wired.topology.ip("-6 rule delete priority 100")
        try wired.view.expect("2001:db8::1", are: .routed)
    }

    @Test("a throw route has the next rule's table looked at")
    func throwFallsThrough() throws {
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

    @Test("a blackhole next-hop object")
    func blackholeNextHop() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("192.0.2.1", "2001:db8::1", are: .routed)
        try wired.ip(
            """
            nexthop add id 5 blackhole
            -6 nexthop add id 6 blackhole
            route add 192.0.2.0/24 nhid 5
            -6 route add 2001:db8::/32 nhid 6
            """)
        try wired.view.expect("192.0.2.1", "2001:db8::1", are: .nothing, .refused(.blackhole))
    }

    @Test("an unreachable default that guards against leaks is no default path")
    func guardDefault() throws {
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
