// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import Routes

/// Rules that look at more than the destination (ip-rule(8)), and what else makes connect(2) look up twice.
@Suite("Rules that look at the socket", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RuleTests {
    static let defaults = "route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0"

    /// A network with default routes, and a table 1000 that refuses.
    private func network() throws -> Wired {
        let wired = try Wired(Self.defaults)
        try wired.topology.ip("route add prohibit default table 1000\n-6 route add prohibit default table 1000")
        return wired
    }

    @Test func `a rule for the source that the kernel chooses refuses IPv4 from its first moment to its last`() throws {
        let wired = try network()
        for _ in 0..<3 {
            try wired.view.expect("8.8.8.8", are: .routed)
            try wired.topology.ip("rule add from 10.0.0.1 table 1000 priority 100")
            try wired.view.expect("8.8.8.8", are: .nothing, .refused(.prohibited))
            try wired.topology.ip("rule delete priority 100")
        }
    }

    @Test(arguments: [ReachabilityOptions.Transport.tcp, .udp])
    func `a rule for a protocol holds for that protocol alone`(_ transport: ReachabilityOptions.Transport) throws {
        let wired = try network()
        for family in ["-4", "-6"] {
            try wired.topology.ip("\(family) rule add ipproto \(transport == .tcp ? "tcp" : "udp") table 1000")
        }
        for asked in [ReachabilityOptions.Transport.tcp, .udp] {
            let flags: ReachabilityFlags = asked == transport ? .nothing : .routed
            try wired.view.expect("8.8.8.8", "2001:db8::1", are: flags, options: { $0.transport = asked })
        }
    }

    @Test(arguments: ["8.8.8.8", "2001:db8::1"])
    func `a rule for a port holds for that port, and not where none is given`(_ target: String) throws {
        let wired = try network()
        try wired.topology.ip("\(target.contains(":") ? "-6" : "-4") rule add dport 443 table 1000")
        try wired.view.expect(target, are: .nothing, options: { $0.port = 443 })
        try wired.view.expect(target, are: .routed, options: { $0.port = 80 })
        try wired.view.expect(target, are: .routed)
    }

    @Test(
        "a rule for users holds for the owner of the caller's sockets, and no answer is kept for another",
        .needs(.otherUsers), arguments: ["8.8.8.8", "2001:db8::1"])
    func owner(_ target: String) throws {
        let wired = try network()
        let reference = try wired.view.reference(target)
        let family = target.contains(":") ? "-6" : "-4"
        func flags(of user: UInt32) throws -> [ReachabilityFlags] {
            try wired.topology.run {
                try CallingThread.asUserOfFiles(user) {
                    // The second time it may be kept, and the third time it is.
                    try (0..<4).map { _ in try reference.getFlags() }
                }
            }
        }
        for _ in 0..<2 {
            #expect(try flags(of: 1000) == Array(repeating: .routed, count: 4))
            try wired.topology.ip("\(family) rule add uidrange 1000-1999 table 1000 priority 100")
            #expect(try flags(of: 1000) == Array(repeating: .nothing, count: 4))
            #expect(try flags(of: 0) == Array(repeating: .routed, count: 4))
            #expect(try flags(of: 1000) == Array(repeating: .nothing, count: 4))
            try wired.topology.ip("\(family) rule delete priority 100")
        }
    }

    // MARK: Looking up twice

    /// Without a source address no route is found. The kernel then chooses one, under the same keys.
    @Test(.needs(.otherUsers))
    func `an IPv6 route for some sources is found under a mark and for a user`() throws {
        let wired = try Wired("-6 route add default from fd00::/64 via fd00::254 dev eth0 table 1000")
        try wired.topology.ip("-6 rule add fwmark 7 table 1000")
        try wired.view.expect("2001:db8::1", are: .nothing)
        try wired.view.expect("2001:db8::1", are: .routed, options: { $0.mark = 7 })
        try wired.topology.ip("-6 rule add uidrange 1000-1999 table 1000")
        try wired.view.expect("2001:db8::1", are: .nothing)
        try wired.view.expect("2001:db8::1", are: .routed, options: { $0.userID = 1000 })
        try wired.topology.ip("-6 rule add dport 53 table 1000")
        try wired.view.expect("2001:db8::1", are: .nothing)
        try wired.view.expect("2001:db8::1", are: .routed, options: { $0.port = 53 })
    }

    @Test func `an IPv6 route for some sources is found once there is such an address`() throws {
        let wired = try Wired(ipv6: false, "-6 route add default from fd00::/64 via fe80::1 dev eth0")
        let reference = try wired.view.reference("2001:db8::1")
        for _ in 0..<3 { #expect(try reference.getFlags() == .nothing) }
        try wired.topology.ip("address add fd00::1/64 dev eth0 nodad")
        try wired.topology.waitForOwn(["fd00::1/64"])
        #expect(try reference.getFlags() == .routed)
        try wired.topology.ip("address del fd00::1/64 dev eth0")
        #expect(try reference.getFlags() == .nothing)
    }

    @Test func `an IPv6 rule for link-local sources counts`() throws {
        let wired = try Wired(ipv6: false, "address add fe80::5/64 dev eth0 nodad")
        try wired.topology.waitForOwn(["fe80::5/64"])
        try wired.topology.ip("-6 route add default via fe80::1 dev eth0 table 1000")
        try wired.view.expect("2001:db8::1", are: .nothing)
        try wired.topology.ip("-6 rule add from fe80::/10 table 1000")
        try wired.view.expect("2001:db8::1", are: .routed)
    }

    /// Where netlink is forbidden.
    @Test func `a connected socket has the source that was given, and cannot do without one`() throws {
        let topology = try Topology()
        try topology.wire("eth0")
        try topology.ip("route add 192.0.2.0/24 dev eth0")
        let remote = IPAddress(text: "192.0.2.1")
        func reason(_ target: Target) throws -> Reason {
            try topology.run {
                try LookupSocket(nil, DeviceTypes(), SocketDefaults(in: nil)).verdict(on: target, keys: RoutingKeys())
                    .verdict.reason
            }
        }
        #expect(try reason(.address(remote)) == .noSourceAddress)
        try topology.ip("address add 10.0.0.1/24 dev eth0\naddress add 10.0.0.9/24 dev eth0")
        try topology.ip("rule add from 10.0.0.9 prohibit")
        let pairs = ["10.0.0.1", "10.0.0.9"].map { Target.pair(local: IPAddress(text: $0), remote: remote) }
        #expect(try pairs.map(reason) == [.connectable, .refused(.prohibited)])
    }

    @Test(arguments: ["224.0.0.9", "255.255.255.255"])
    func `a group is sent to by the link that has the source of its route`(_ target: String) throws {
        let wired = try Wired("link set eth0 mtu 1400")
        try wired.topology.wire("eth1", address: "10.1.0.1/24")
        try wired.topology.ip("route add \(target) dev eth0 src 10.1.0.1")
        let way = try wired.topology.run { ConnectedSocket(to: target).connect() }.get()
        #expect(way.source == "10.1.0.1" && way.mtu == 1500)
        #expect(try wired.view.reference(target) { $0.transport = .udp }.explain().interface == "eth1")
    }

    /// For IPv6 the kernel does not hold to the interface if it is asked with a source. So it is asked again without one.
    @Test(arguments: ["fd01::1", "fd01::2"])
    func `an IPv6 source that was given stays, beside an interface`(_ source: String) throws {
        let wired = try Wired("-6 route add default via fd00::254 dev eth0 metric 10")
        try wired.topology.wire("eth1", address: "fd01::1/64", "fd01::2/64")
        try wired.topology.ip("-6 route add default via fd01::254 dev eth1 metric 20")
        let explanation = try wired.view.reference("2001:db8::1") {
            ($0.interface, $0.sourceAddress) = ("eth1", source)
        }
        .explain()
        #expect(explanation.flags == .routed)
        #expect(explanation.interface == "eth1")
        #expect(explanation.source == source)
    }
}
