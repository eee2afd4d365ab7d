// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

@Suite("Addresses and their flags", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct AddressCaseTests {
    @Test func `a machine with nothing but lo reaches itself at each loopback address, and nothing else`() throws {
        let view = View()
        try view.expect(
            "127.0.0.1", "127.9.9.9", "127.255.255.254", "::1", "::ffff:127.0.0.1", "127.1", are: .own, .thisMachine)
        try view.expect(
            "default", "0.0.0.0", "::", "::ffff:0.0.0.0", "8.8.8.8", "169.254.0.0", "224.0.0.1", "255.255.255.255",
            "2001:db8::1", are: .nothing, .refused(.noRoute))
    }

    @Test func `a host with an address and no default route reaches its neighbours only`() throws {
        let view = try Wired().view
        try view.expect("10.0.0.1", "fd00::1", are: .own, .thisMachine)
        try view.expect("10.0.0.2", "10.0.0.255", "fd00::2", "::ffff:10.0.0.2", are: .direct, .onLink)
        try view.expect("8.8.8.8", "0.0.0.0", "default", "::", "2001:db8::1", are: .nothing, .refused(.noRoute))
    }

    @Test func `a default route reaches everything, and link-local, multicast and broadcast directly`() throws {
        let view = try Wired("route add default via 10.0.0.254").view
        try view.expect("8.8.8.8", "0.0.0.0", "::", "default", "::ffff:8.8.8.8", are: .routed, .throughGateway)
        try view.expect("169.254.1.1", "224.0.0.251", "255.255.255.255", are: .direct, .onLink)
        try view.expect("2001:db8::1", are: .nothing, .refused(.noRoute))
    }

    @Test func `a host with only IPv6 has a default path and no way to IPv4 addresses`() throws {
        let view = try Wired(ipv4: false, "-6 route add default via fd00::254 dev eth0").view
        try view.expect("0.0.0.0", "::", "default", "2001:db8::1", are: .routed, .throughGateway)
        try view.expect("8.8.8.8", "::ffff:8.8.8.8", "10.0.0.2", are: .nothing, .refused(.noRoute))
        try view.expect("fd00::2", are: .direct, .onLink)
    }

    @Test func `an IPv6 router's anycast address is this machine's`() throws {
        let topology = try Topology()
        try topology.set("net.ipv6.conf.all.forwarding", 1)
        try topology.wire("eth0", address: "fd00::1/64")
        try View(topology).expect("fd00::", are: .own, .thisMachine)
    }

    @Test func `an IPv4 route over an IPv6 next hop is a gateway, and such a default route a default path`() throws {
        let wired = try Wired(
            "route add 192.0.2.0/24 via inet6 fe80::1 dev eth0\nroute add 198.51.100.0/24 via inet6 fd00::2")
        try wired.view.expect("192.0.2.1", "198.51.100.1", are: .routed, .throughGateway)
        try wired.topology.ip("route add 0.0.0.0/0 via inet6 fe80::1 dev eth0")
        try wired.view.expect("8.8.8.8", "0.0.0.0", "default", are: .routed, .throughGateway)
    }

    // MARK: Scopes

    @Test func `an own link-local address is this machine's on its own link`() throws {
        let wired = try Wired("address add fe80::7/64 dev eth0 nodad")
        // The kernel adds an IPv6 address's local route from a work queue, after the call that added it has returned.
        try wired.topology.waitForOwn(["fe80::7/64"])
        try wired.view.expect("fe80::7%eth0", are: .own, .thisMachine)
    }

    @Test func `of two links with the same link-local prefix the scope decides, and each has its own state`() throws {
        let wired = try Wired()
        try wired.topology.wire("eth1", address: "fe80::8/64")
        try wired.topology.ip("address add fe80::7/64 dev eth0 nodad")
        try wired.topology.waitForOwn(["fe80::7/64"])
        try wired.view.expect("fe80::1%eth0", "fe80::1%eth1", are: .direct)
        try wired.topology.ip("link set eth1 down")
        try wired.view.expect("fe80::1%eth0", are: .direct)
        try wired.view.expect("fe80::1%eth1", are: .nothing)
    }

    @Test(arguments: ["late", "4242"])
    func `a scope that names no interface reaches nothing, until there is one`(zone: String) throws {
        let topology = try Topology()
        let view = View(topology)
        let reference = try view.reference("fe80::1%\(zone)")
        #expect(try reference.getFlags() == .nothing)
        #expect(try reference.explain().reasonCode == "interface_missing")
        for round in 0..<2 {
            try topology.wire("late", address: "10.0.0.1/24", "fe80::2/64", index: UInt32(4242 + round))
            try topology.waitForLink("late", .up)
            // The number is that of the first interface, the name that of each.
            #expect(try reference.getFlags() == (zone == "late" || round == 0 ? .direct : .nothing))
            try topology.ip("link delete late")
            #expect(try reference.getFlags() == .nothing)
        }
    }

    @Test func `an interface index above 65,535 is no less an interface`() throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24", "fe80::2/64", index: 70_000)
        let view = View(topology)
        try topology.ip("route add default via 10.0.0.254")
        try view.expect("10.0.0.2", "fe80::1%70000", "fe80::1%eth0", are: .direct, .onLink)
        try view.expect("8.8.8.8", are: .routed, .throughGateway)
        try view.expect("8.8.8.8", are: .routed, options: { $0.interface = "eth0" })
        #expect(try view.verdict("10.0.0.2").interface?.rawValue == 70_000)
    }

    // MARK: Pairs

    @Test(
        "a pair has the remote's flags where the local address is ours, else none, and one side alone is that address")
    func pairs() throws {
        let view = try Wired("route add default via 10.0.0.254").view
        try view.expect("10.0.0.1,8.8.8.8", "127.0.0.1,8.8.8.8", are: .routed, .throughGateway)
        try view.expect("10.0.0.1,10.0.0.2", "127.0.0.1,10.0.0.2", are: .direct, .onLink)
        try view.expect("10.0.0.1,10.0.0.1", "127.0.0.1,127.0.0.2", are: .own, .thisMachine)
        try view.expect("10.0.0.99,8.8.8.8", "10.0.0.99,", "8.8.8.8,8.8.8.8", are: .nothing, .notOurAddress)
        try view.expect("fd00::77,2001:db8::1", "fd00::77,fd00::2", are: .nothing, .notOurAddress)
        try view.expect("10.0.0.1,fd00::2", are: .nothing, .familiesDiffer)
        try view.expect("127.0.0.1,", "10.0.0.1,", "fd00::1,", are: .own, .thisMachine)
        try view.expect(",8.8.8.8", "0.0.0.0,8.8.8.8", are: .routed, .throughGateway)
        try view.expect(",10.0.0.2", are: .direct, .onLink)
    }
}
