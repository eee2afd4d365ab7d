// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

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

    /// Where netlink is forbidden.
    @Test func `a connected socket has the source that was given, and cannot do without one`() throws {
        let topology = try Machine()
        try topology.wire("eth0")
        try topology.ip("route add 192.0.2.0/24 dev eth0")
        let remote = IPAddress(text: "192.0.2.1")
        func reason(_ target: Target) throws -> Reason {
            try topology.run {
                try RouteClient(nil, DeviceTypes(), SocketDefaults(in: nil)).verdict(on: target, keys: RoutingKeys())
                    .reason
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
}
