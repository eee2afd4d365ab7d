// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite struct AnnouncementTests {
    private static func route(_ prefix: String, isDeleted: Bool = false) -> Announcement {
        .route(Prefix(text: prefix), isDeleted: isDeleted)
    }

    /// What was recorded while a command of iproute2 or sysctl(8) was run, and what it announces.
    static let recordings: [(name: String, command: String, Announcement)] = [
        ("routeAdded4", "ip route add 198.51.100.0/24 via 192.0.2.2", route("198.51.100.0/24")),
        ("routeDeleted4", "ip route del 198.51.100.0/24", route("198.51.100.0/24", isDeleted: true)),
        ("hostRouteAdded4", "ip route add 203.0.113.7 dev v0", route("203.0.113.7/32")),
        ("multipathAdded4", "ip route add 10.0.0.0/8 nexthop via 192.0.2.2 nexthop via 192.0.2.3", route("10.0.0.0/8")),
        ("blackholeAdded4", "ip route add blackhole 10.9.0.0/16 table 1000", route("10.9.0.0/16")),
        ("defaultAdded4", "ip route add default via 192.0.2.2", .route(.all(.v4))),
        ("defaultDeleted4", "ip route del default", .route(.all(.v4), isDeleted: true)),
        ("routeAdded6", "ip -6 route add 2001:db8:2::/48 via 2001:db8:1::2", route("2001:db8:2::/48")),
        ("routeDeleted6", "ip -6 route del 2001:db8:2::/48", route("2001:db8:2::/48", isDeleted: true)),
        ("hostRouteAdded6", "ip -6 route add 2001:db8:9::9/128 dev v0", route("2001:db8:9::9/128")),
        ("defaultAdded6", "ip -6 route add default via 2001:db8:1::2", .route(.all(.v6))),
        ("defaultDeleted6", "ip -6 route del default", .route(.all(.v6), isDeleted: true)),
        ("addressAdded4", "ip addr add 192.0.2.1/24 dev v0", .addresses),
        ("addressAdded6", "ip -6 addr add 2001:db8:1::1/64 dev v0 nodad", .addresses),
        ("addressDeleted4", "ip addr del 192.0.2.1/24 dev v0", .addresses),
        ("ruleAdded4", "ip rule add to 198.51.100.0/24 table 77", .rules),
        ("ruleDeleted4", "ip rule del to 198.51.100.0/24 table 77", .rules),
        ("ruleAdded6", "ip -6 rule add from 2001:db8::/32 table 77", .rules),
        ("nextHopAdded", "ip nexthop add id 7 via 192.0.2.2 dev v0", .nextHops),
        ("nextHopDeleted", "ip nexthop del id 7", .nextHops),
        ("configurationChanged4", "sysctl -w net.ipv4.conf.v0.ignore_routes_with_linkdown=1", .configuration),
        ("configurationChanged6", "sysctl -w net.ipv6.conf.v0.ignore_routes_with_linkdown=1", .configuration),
        ("configurationDeleted", "ip link del v0", .configuration), ("linkDeleted", "ip link del v0", .links),
    ]

    @Test(arguments: recordings)
    func `each recorded announcement is recognised`(name: String, command: String, expected: Announcement) throws {
        #expect(try announcements(in: Recordings.announcement(name)) == [expected], "\(command)")
    }

    @Test(
        "the filter passes each recorded announcement to whom it concerns, and drops only others' routes",
        arguments: recordings)
    func filtered(name: String, command: String, announcement: Announcement) {
        let message = Recordings.announcement(name)
        var blind = FilterMachine(RouteFilter.program(watching: []))
        guard case .route(let prefix, _) = announcement, prefix.length > 0 else {
            #expect(blind.run(message) == .pass, "\(command)")
            return
        }
        #expect(blind.run(message) == .drop)
        var watching = FilterMachine(RouteFilter.program(watching: [prefix.base]))
        #expect(watching.run(message) == .pass)
    }

    @Test func `an unknown message affects everything`() throws {
        #expect(try announcements(in: .message(type: 68, [0, 0, 0, 0])) == [.other])
        // An IPv6 multicast route, a length no address has, and a destination that is not there.
        var message: [UInt8] = .route(Prefix(.v4(IPv4Address(10, 0, 0, 0)), length: 8))
        message[16] = 129
        #expect(try announcements(in: message) == [.other])
        message[16] = 2
        message[17] = 33
        #expect(try announcements(in: message) == [.other])
        message[17] = 8
        message[38] = 99
        #expect(try announcements(in: message) == [.other])
    }

    @Test func `an empty message affects nothing`() throws {
        #expect(try announcements(in: .message(type: 1, [])) == [nil])
    }

    @Test func `a route message that ends early is malformed`() {
        let error = #expect(throws: WireError.self) {
            _ = try announcements(in: .message(type: 24, []))
        }
        #expect(error?.offset == 1)
        #expect(error?.problem == .truncated)
        // An address that is too short for its family.
        var payload: [UInt8] = [10, 64, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
        payload += [UInt8].attribute(1, [1, 2, 3, 4])
        #expect(throws: WireError.self) { _ = try announcements(in: .message(type: 24, payload)) }
    }
}
