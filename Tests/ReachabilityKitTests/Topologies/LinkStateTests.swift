// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

@Suite("The state of the outgoing link", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LinkStateTests {
    static let defaults = "route add default via 10.0.0.254"

    @Test("an IPv4-only host with its link down reaches itself alone, although no route is announced to go")
    func linkDown() throws {
        let wired = try Wired(ipv6: false, Self.defaults)
        try wired.topology.set("net.ipv6.conf.all.disable_ipv6", 1)
        try wired.view.expect("10.0.0.2", are: .direct)
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        try wired.topology.ip("link set eth0 down")
        try wired.view.expect("10.0.0.2", "8.8.8.8", "default", "0.0.0.0", are: .nothing, .refused(.noRoute))
        try wired.view.expect("10.0.0.1", are: .own, .thisMachine)
    }

    @Test("a link that goes down keeps its IPv4 address, and brings its neighbours back, and not the default route")
    func linkDownAndUp() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("8.8.8.8", are: .routed)
        try wired.topology.ip("link set eth0 down")
        try wired.view.expect("10.0.0.1", "10.0.0.1,", are: .own, .thisMachine)
        // The kernel takes IPv6 addresses off a device that goes down.
        try wired.view.expect("10.0.0.2", "8.8.8.8", "fd00::1", are: .nothing)
        try wired.topology.ip("link set eth0 up")
        try wired.topology.waitForLink("eth0", .up)
        try wired.view.expect("10.0.0.2", are: .direct)
        try wired.view.expect("8.8.8.8", "default", are: .nothing, .refused(.noRoute))
    }

    @Test(arguments: [false, true])
    func `a device that is deleted, or moved to another namespace, takes all behind it along`(isMoved: Bool) throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("10.0.0.1", are: .own)
        try wired.view.expect("10.0.0.2", are: .direct)
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        let namespace = wired.far.namespacePath
        try wired.topology.ip(isMoved ? "link set eth0 name moved netns \(namespace)" : "link delete eth0")
        try wired.view.expect("10.0.0.1", "10.0.0.2", "8.8.8.8", "default", are: .nothing, .refused(.noRoute))
    }

    @Test("a lost carrier makes everything behind it unreachable, although the kernel would still route there")
    func carrierLost() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        try wired.cut()
        guard case .route = try wired.topology.route(to: IPAddress(text: "8.8.8.8")) else {
            Issue.record("the kernel gave the route up, so this shows nothing")
            return
        }
        try wired.view.expect("10.0.0.2", "8.8.8.8", "default", "0.0.0.0", are: .nothing, wired.broken)
        try wired.view.expect("10.0.0.1", are: .own, .thisMachine)
        try wired.mend()
        try wired.view.expect("10.0.0.2", are: .direct)
        try wired.view.expect("8.8.8.8", "default", are: .routed)
    }

    /// After one announcement of a carrier the kernel waits a second before the next (linkwatch_nextevent in
    /// net/core/link_watch.c), so the second loss is announced late. Kernels before 6.8 show meanwhile that it is gone.
    @Test(.needs(.tun))
    func `kept and new answers agree between the loss of a carrier and its announcement`() throws {
        let view = View()
        let tunnel = try view.topology.tun("tun0", address: "10.0.0.1/24")
        let other = try view.topology.tun("tun1", address: "10.1.0.1/24")
        let held = try view.reference("10.0.0.2")
        // On a busy machine the second may be over before the second carrier is lost.
        for _ in 0..<3 {
            try other.setCarrier(false)
            try view.topology.waitForLink("tun1", .down)
            #expect(try held.getFlags() == .tunnelled)
            try tunnel.setCarrier(false)
            var comparisons = 0
            try view.topology.waitUntil("the announcement") {
                // `link` asks by a socket of its own, as another process would.
                let before = try view.topology.link("tun0")?.readiness
                let kept = try held.getFlags()
                let explained = try held.explain().flags
                let new = try view.reference("10.0.0.2").getFlags()
                let after = try view.topology.link("tun0")?.readiness
                // Nothing can be compared across the announcement itself.
                if before == after {
                    comparisons += 1
                    let expected: ReachabilityFlags = after == .ready ? .tunnelled : .nothing
                    #expect([kept, explained, new] == [expected, expected, expected])
                }
                return after != .ready
            }
            try view.expect("10.0.0.2", are: .nothing, .linkBroken(.down))
            #expect(comparisons > 0)
            for (name, device) in [("tun0", tunnel), ("tun1", other)] {
                try device.setCarrier(true)
                try view.topology.waitForLink(name, .up)
            }
        }
    }

    @Test func `a lost carrier with ignore_routes_with_linkdown has the kernel itself refuse`() throws {
        let wired = try Wired(Self.defaults)
        try wired.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 1)
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        try wired.cut()
        try wired.view.expect("10.0.0.2", "8.8.8.8", "default", are: .nothing, .refused(.noRoute))
        try wired.mend()
        try wired.view.expect("8.8.8.8", "default", are: .routed)
    }

    @Test("a preferred dead link wins over a live one, and the answer is no, unless such routes are to be ignored")
    func preferredDeadLink() throws {
        let wired = try Wired("route add default via 10.0.0.254 metric 100")
        try wired.topology.wire("eth1", address: "10.1.0.1/24")
        try wired.topology.ip("route add default via 10.1.0.254 metric 200")
        try wired.cut()
        try wired.view.expect("8.8.8.8", "default", are: .nothing, wired.broken)
        try wired.view.expect("10.1.0.2", are: .direct)
        try wired.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 1)
        try wired.view.expect("8.8.8.8", "default", are: .routed, .throughGateway)
        try wired.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 0)
        try wired.view.expect("8.8.8.8", "default", are: .nothing)
        try wired.topology.ip("route delete default via 10.0.0.254")
        try wired.view.expect("8.8.8.8", "default", are: .routed)
        #expect(try wired.view.verdict("8.8.8.8").interface == wired.topology.index(of: "eth1"))
    }

    @Test func `a default path of IPv6 stands in for one of IPv4 whose link is dead`() throws {
        let wired = try Wired(Self.defaults)
        try wired.topology.wire("eth1", address: "fd01::1/64")
        try wired.topology.ip("-6 route add default via fd01::254 dev eth1")
        try wired.cut()
        try wired.view.expect("8.8.8.8", are: .nothing)
        try wired.view.expect("default", "0.0.0.0", "::", "2001:db8::1", are: .routed)
    }

    @Test func `a dormant link needs a connection first`() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("10.0.0.2", are: .direct)
        try wired.topology.setOperationalState(.dormant, of: "eth0")
        try wired.view.expect("10.0.0.2", "10.0.0.255", are: .dormantDirect, .dormantLink)
        try wired.view.expect("8.8.8.8", "default", are: .dormantRouted, .dormantLink)
        try wired.view.expect("10.0.0.1", are: .own)
        try wired.topology.setOperationalState(.up, of: "eth0")
        try wired.view.expect("8.8.8.8", "default", are: .routed)
    }

    @Test func `a link that is being tested lets nothing pass`() throws {
        let wired = try Wired(Self.defaults)
        try wired.topology.setOperationalState(.testing, of: "eth0")
        try wired.view.expect("10.0.0.2", "8.8.8.8", "default", are: .nothing, .linkBroken(.testing))
    }

    @Test func `a bridge whose last port is taken away has no carrier`() throws {
        let topology = try Topology()
        try topology.wire("port")
        try topology.ip(
            """
            link add br0 type bridge
            link set port master br0
            address add 10.0.0.1/24 dev br0
            link set br0 up
            """)
        let view = View(topology)
        try topology.waitForLink("br0", .up)
        try view.expect("10.0.0.2", are: .direct)
        try topology.ip("link set port nomaster")
        try topology.waitForLink("br0", .down)
        try view.expect("10.0.0.2", are: .nothing, .linkBroken(.down))
        try view.expect("10.0.0.1", are: .own)
    }

    @Test func `a renamed link is the same link`() throws {
        let wired = try Wired(Self.defaults)
        try wired.view.expect("8.8.8.8", are: .routed)
        try wired.topology.ip("link set eth0 down\nlink set eth0 name uplink\nlink set uplink up")
        try wired.topology.waitForLink("uplink", .up)
        try wired.view.expect("10.0.0.2", are: .direct)
        #expect(try wired.view.reference("10.0.0.2").explain().interface == "uplink")
    }
}
