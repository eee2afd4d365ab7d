// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

@Suite("Tunnels, dial-up and mobile links", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .tun))
struct TunnelTests {
    /// A tunnel with one peer, ready.
    private func tunnel(_ kind: Topology.TunKind = .tunnel) throws -> (View, TunDevice) {
        let topology = try Topology()
        let device = try topology.tun("tun0", kind)
        try topology.ip("address add 10.9.0.1 peer 10.9.0.2/32 dev tun0")
        try topology.waitForLink("tun0") { $0.readiness == .ready }
        return (View(topology), device)
    }

    @Test func `a tunnel is reached over, with a gateway or without one, until its program ends`() throws {
        let (view, device) = try tunnel()
        try view.expect("10.9.0.2", are: .tunnelled, .overPointToPoint)
        try view.expect("10.9.0.1", are: .own, .thisMachine)
        try view.expect("8.8.8.8", "default", are: .nothing, .refused(.noRoute))
        try view.topology.ip("route add default dev tun0")
        try view.expect("8.8.8.8", "0.0.0.0", "::", "default", are: .tunnelled, .overPointToPoint)
        try view.topology.ip("route replace default via 10.9.0.2")
        try view.expect("8.8.8.8", "0.0.0.0", are: .tunnelled, .overPointToPoint)
        device.close()
        try view.topology.waitForNoLink("tun0")
        try view.expect("10.9.0.1", "10.9.0.2", "8.8.8.8", "default", are: .nothing, .refused(.noRoute))
    }

    @Test func `a tunnel that nobody reads has no carrier`() throws {
        let topology = try Topology()
        try topology.ip(
            """
            tuntap add dev tun0 mode tun
            address add 10.9.0.1 peer 10.9.0.2/32 dev tun0
            link set tun0 up
            """)
        try topology.waitForLink("tun0", .down)
        let view = View(topology)
        try view.expect("10.9.0.2", are: .nothing, .linkBroken(.down))
        try view.expect("10.9.0.1", are: .own)
    }

    @Test("a pair of half-default routes stands for a default path, and ends with either's loss of its link")
    func halfDefaults() throws {
        let (view, device) = try tunnel()
        try view.topology.ip("route add 0.0.0.0/1 dev tun0\nroute add 128.0.0.0/1 dev tun0")
        try view.expect("8.8.8.8", "200.0.0.1", "0.0.0.0", "default", are: .tunnelled, .overPointToPoint)
        try device.setCarrier(false)
        try view.topology.waitForLink("tun0", .down)
        try view.expect("8.8.8.8", "200.0.0.1", "0.0.0.0", "default", are: .nothing, .linkBroken(.down))
    }

    @Test func `half-default routes over a default route win as long as they are there`() throws {
        let wired = try Wired("route add default via 10.0.0.254")
        try wired.view.expect("8.8.8.8", "200.0.0.1", "default", are: .routed)
        let device = try wired.topology.tun("tun0", address: "10.9.0.1/24")
        try wired.topology.waitForLink("tun0") { $0.readiness == .ready }
        try wired.topology.ip("route add 0.0.0.0/1 dev tun0\nroute add 128.0.0.0/1 dev tun0")
        try wired.view.expect("8.8.8.8", "200.0.0.1", "default", are: .tunnelled)
        device.close()
        // A command that another test is just starting may hold the device for a moment yet.
        try wired.topology.waitForNoLink("tun0")
        try wired.view.expect("8.8.8.8", "200.0.0.1", "default", are: .routed)
    }

    /// What wg-quick(8) does: everything into the tunnel but its own packets, and but what main knows better.
    @Test(
        "WireGuard's policy rules are followed when they come and when they go, for one family alone",
        arguments: [
            ("-4", "10.9.0.1/32", "8.8.8.8", "10.0.0.2", "2001:db8::1"),
            ("-6", "fd09::1/128", "2001:db8::1", "fd00::2", "8.8.8.8"),
        ])
    func wireGuard(_ family: String, _ address: String, _ target: String, _ neighbour: String, _ other: String) throws {
        let wired = try Wired("route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0")
        let device = try wired.topology.tun("wg0", address: address)
        try wired.topology.waitForLink("wg0") { $0.readiness == .ready }
        try wired.view.expect(target, other, "default", are: .routed)
        try wired.topology.ip(
            """
            \(family) route add default dev wg0 table 51820
            \(family) rule add not fwmark 51820 table 51820 priority 32764
            \(family) rule add table main suppress_prefixlength 0 priority 32763
            """)
        try wired.view.expect(target, are: .tunnelled, .overPointToPoint)
        try wired.view.expect("0.0.0.0", "default", are: family == "-4" ? .tunnelled : .routed)
        try wired.view.expect(other, are: .routed)
        try wired.view.expect(neighbour, are: .direct, .onLink)
        try wired.view.expect(target, "default", are: .routed, options: { $0.mark = 51820 })
        try wired.topology.ip("\(family) rule delete priority 32763\n\(family) rule delete priority 32764")
        try wired.view.expect(target, "0.0.0.0", "default", are: .routed, .throughGateway)
        device.close()
    }

    // MARK: Classes

    @Test func `a tap device is Ethernet, and not transient`() throws {
        let topology = try Topology()
        let device = try topology.tun("tap0", .frames, address: "10.9.0.1/24")
        try topology.waitForLink("tap0") { $0.readiness == .ready }
        try topology.ip("route add default via 10.9.0.254")
        let view = View(topology)
        try view.expect("10.9.0.2", are: .direct)
        try view.expect("8.8.8.8", are: .routed)
        device.close()
    }

    @Test(
        "a dormant dial-up link connects on traffic; a dormant mobile link too",
        arguments: zip(
            [Topology.TunKind.tunnel, .ppp, .rawIP],
            [ReachabilityFlags.dormantDialUp, .dormantDialUp, .dormantCellular]))
    func dormant(_ kind: Topology.TunKind, _ flags: ReachabilityFlags) throws {
        let (view, device) = try tunnel(kind)
        try view.topology.ip("route add default dev tun0")
        try view.topology.setOperationalState(.dormant, of: "tun0")
        try view.expect("10.9.0.2", "8.8.8.8", "default", are: flags, .dormantLink)
        try view.expect("10.9.0.1", are: .own)
        device.close()
    }
}
