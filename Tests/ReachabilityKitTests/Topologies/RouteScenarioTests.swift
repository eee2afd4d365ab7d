// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences

@Suite("Routes of every making", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RouteScenarioTests {
    @Test func `the routes of a next-hop object count as long as it does, whichever of them is deleted`() throws {
        let wired = try Wired(
            "nexthop add id 9 via fd00::254 dev eth0\n"
                + (1...3).map { "-6 route add 2001:db8:\($0)::/48 nhid 9" }.joined(separator: "\n"))
        // Each processor has a copy of the route that was looked up first.
        #expect(try flagsOnEachProcessor(of: "2001:db8:1::1", in: wired.topology) == [.routed])
        try wired.view.expect("2001:db8:1::1", "2001:db8:2::1", are: .routed)
        try wired.topology.ip("-6 route del 2001:db8:1::/48")
        try wired.view.expect("2001:db8:1::1", are: .nothing, .refused(.noRoute))
        #expect(try flagsOnEachProcessor(of: "2001:db8:2::1", in: wired.topology) == [.routed])
        #expect(try flagsOnEachProcessor(of: "2001:db8:3::1", from: "fd00::1", in: wired.topology) == [.routed])
        try wired.view.expect("2001:db8:2::1", are: .routed)
        try wired.topology.ip("nexthop del id 9")
        try wired.view.expect("2001:db8:2::1", "2001:db8:3::1", are: .nothing, .refused(.noRoute))
    }

    @Test func `a default route whose next-hop object another route had is a path after that one is deleted`() throws {
        let wired = try Wired(
            """
            nexthop add id 9 via fd00::254 dev eth0
            -6 route add default nhid 9
            -6 route add 2001:db8:1::/48 nhid 9
            """)
        #expect(try flagsOnEachProcessor(of: "2001:db8:1::1", in: wired.topology) == [.routed])
        try wired.topology.ip("-6 route del 2001:db8:1::/48")
        #expect(try flagsOnEachProcessor(of: "2001:db8:1::1", in: wired.topology) == [.routed])
        try wired.view.expect("2000::1", "default", are: .routed)
        let path = try wired.topology.run { try PathSource().current() }
        let eth0 = try wired.topology.index(of: "eth0")
        #expect(path.view().status == .satisfied && path.ipv6?.interface == eth0)
        #expect(path.view().interfaces.map(\.name) == ["eth0"])
    }

    private func flagsOnEachProcessor(
        of address: String, from local: String? = nil, in topology: Machine
    ) throws -> Set<ReachabilityFlags> {
        var found: Set<ReachabilityFlags> = []
        for number in 0..<Int32(sysconf(Int32(_SC_NPROCESSORS_CONF))) {
            try topology.run {
                guard topology_stay_on(number) == 0 else { return }
                let reference = try ReachabilityRef(local: local ?? "::", remote: address)
                found.insert(try reference.getFlags())
            }
        }
        return found
    }

    /// Two wires with a default route over both.
    private func multipath() throws -> Wired {
        let wired = try Wired()
        try wired.topology.wire("eth1", address: "10.1.0.1/24")
        try wired.topology.ip("route add default nexthop via 10.0.0.254 dev eth0 nexthop via 10.1.0.254 dev eth1")
        return wired
    }

    private static let anywhere = (1...24).map { "198.51.100.\($0)" }

    @Test func `a multipath route with one leg's carrier gone answers for the leg that the kernel takes`() throws {
        let wired = try multipath()
        try wired.cut()
        let live = try wired.topology.index(of: "eth1")
        for target in Self.anywhere {
            guard case .route(let route) = try wired.topology.route(to: IPAddress(text: target)) else {
                Issue.record("no route to \(target)")
                continue
            }
            if route.interface == live {
                try wired.view.expect(target, are: .routed)
            } else {
                try wired.view.expect(target, are: .nothing, wired.broken)
            }
        }
    }

    @Test func `a multipath route with one leg's carrier gone uses the other where such routes are ignored`() throws {
        let wired = try multipath()
        // Before the loss: the kernel weighs the legs anew when a link changes, not when the setting does.
        try wired.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 1)
        for target in Self.anywhere { try wired.view.expect(target, are: .routed) }
        try wired.cut()
        for target in Self.anywhere { try wired.view.expect(target, are: .routed, .throughGateway) }
    }
}

/// The one change that the kernel does not announce: the expiry of an IPv6 route.
@Suite("A route that expires", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ExpiryTests {
    /// Asks until the route is gone. Returns how often the queue was emptied between the last kept answer and the first new
    /// one; nil if no answer was kept.
    private func drainsUntilEnd(of reference: ReachabilityRef) throws -> Int? {
        let kernel = try reference.namespace.kernel()
        let freshness = try #require(kernel.freshness)
        var before: Int?
        try WaitLimit.wait(for: "the end of the route") {
            let drains = freshness.drainCount
            if kernel.provedFlags(in: reference.own.cell) == .routed { before = drains }
            return try reference.getFlags() != .routed
        }
        return before.map { freshness.drainCount - $0 }
    }

    /// - Parameter body: makes a route that lives for so many seconds, and returns what `drainsUntilEnd` does; nil also if the
    ///   machine was too busy to ask in time. Then another one lives longer.
    private func expectNoDrains(_ body: (_ seconds: Int) throws -> Int?) throws {
        for seconds in [2, 10, 60] {
            if let drains = try body(seconds) { return #expect(drains == 0) }
        }
        Issue.record("no answer was kept before the route had ended")
    }

    @Test(arguments: ["2001:db8::1", "default"])
    func `ends for a cached answer too, while the kernel has announced nothing`(_ target: String) throws {
        let prefix = target == "default" ? "::/0" : "2001:db8::/32"
        let wired = try Wired(ipv4: false)
        let reference = try wired.view.reference(target)
        #expect(try reference.getFlags() == .nothing)
        try expectNoDrains { seconds in
            try wired.topology.ip("-6 route replace \(prefix) via fd00::254 dev eth0 expires \(seconds)")
            return try drainsUntilEnd(of: reference)
        }
        #expect(try reference.getFlags() == .nothing)
        // The kernel keeps the expired route for half a minute and announces its end only then.
        #expect(try wired.topology.ip("-6 route show \(prefix)").contains("via fd00::254"))
    }

    @Test func `keeps its answer if it is renewed in time`() throws {
        let wired = try Wired(ipv4: false)
        let doomed = try wired.view.reference("2001:db9::1")
        let renewed = try wired.view.reference("2001:db8::1")
        try expectNoDrains { seconds in
            for prefix in ["2001:db8::/32", "2001:db9::/32"] {
                try wired.topology.ip("-6 route replace \(prefix) via fd00::254 dev eth0 expires \(seconds)")
            }
            guard try renewed.getFlags() == .routed else { return nil }
            try wired.topology.ip("-6 route replace 2001:db8::/32 via fd00::254 dev eth0 expires 1000")
            // When a route of the same age is gone, this one would be too.
            return try drainsUntilEnd(of: doomed)
        }
        #expect(try renewed.getFlags() == .routed)
    }
}
