// SPDX-License-Identifier: Apache-2.0

extension Scenario {
    /// All scenarios, in the order of the table.
    static let all = routes + nextHops + links + policy + families + nothing

    private static let routes = [
        Scenario(
            name: "a default route comes", setup: withoutDefault, change: ["route add default via 10.0.0.254"]),
        Scenario(name: "the default routes go", change: withoutDefault),
        Scenario(
            name: "a default route comes that has no gateway", setup: withoutDefault,
            change: ["route add default dev eth0"]),
        Scenario(
            name: "a default route through an IPv6 gateway comes", setup: withoutDefault,
            change: ["-4 route add default via inet6 2001:db8::2 dev eth0"]),
        Scenario(
            name: "the default route moves to another link, and goes", setup: ["-6 route del default"],
            change: ["route replace default via 10.1.0.254", "route del default"], moves: 1),
        Scenario(
            name: "two halves of a default route come (0/1 and 128/1)", setup: withoutDefault,
            change: ["route add 0.0.0.0/1 via 10.0.0.254", "route add 128.0.0.0/1 via 10.0.0.254"]),
        Scenario(
            name: "a default route comes into a table that no rule names", setup: withoutDefault,
            change: ["route add default via 10.0.0.254 table 100"]),
        Scenario(
            name: "the only route, one to the host's network, goes",
            setup: withoutDefault + ["route add 192.0.2.0/24 via 10.0.0.254"], change: ["route del 192.0.2.0/24"]),
        Scenario(name: "the host's network becomes unreachable", change: ["route add unreachable 192.0.2.0/24"]),
        Scenario(name: "the host's network is blackholed", change: ["route add blackhole 192.0.2.0/24"]),
        Scenario(
            name: "the link's address goes, and its network with it", target: neighbour, setup: withoutDefault,
            change: ["address del 10.0.0.1/24 dev eth0"]),
        Scenario(
            name: "the lifetime of the link's address ends", target: neighbour, setup: withoutDefault,
            change: ["address change 10.0.0.1/24 dev eth0 valid_lft 1 preferred_lft 1", "until no route"]),
        Scenario(
            name: "an advertised IPv6 default route expires", target: farIPv6Host, setup: ["route del default"],
            change: ["-6 route replace default via 2001:db8::2 dev eth0 expires 1", "until no route"]),
    ]

    private static let nextHops = [
        Scenario(
            name: "the next-hop object of the default route is deleted",
            setup: withoutDefault + ["nexthop add id 7 via 10.0.0.254 dev eth0", "route add default nhid 7"],
            change: ["nexthop del id 7"]),
        Scenario(
            name: "the next-hop object of the default route becomes a blackhole",
            setup: withoutDefault + ["nexthop add id 7 via 10.0.0.254 dev eth0", "route add default nhid 7"],
            change: ["nexthop replace id 7 blackhole"]),
        Scenario(
            name: "of a default route over two links, one goes down",
            setup: withoutDefault + ["route add default nexthop via 10.0.0.254 nexthop via 10.1.0.254"],
            change: ["link set eth1 down"], moves: 1),
        Scenario(
            name: "of a default route over two links, both go down",
            setup: withoutDefault + ["route add default nexthop via 10.0.0.254 nexthop via 10.1.0.254"],
            change: ["link set eth1 down", "link set eth0 down"], moves: 1),
    ]

    private static let withoutIPv6 = ["sysctl net.ipv6.conf.all.disable_ipv6=1"]

    private static let links = [
        Scenario(name: "the link goes down", change: ["link set eth0 down"]),
        Scenario(
            name: "the link goes down, where there is no IPv6", setup: withoutIPv6, change: ["link set eth0 down"]),
        Scenario(
            name: "the link goes down, whose number is above 255",
            setup: withoutDefault + withoutIPv6 + [
                "link add wan0 index 300 type veth peer name wan0-peer", "address add 10.7.0.1/24 dev wan0",
                "link set wan0-peer up", "link set wan0 up", "carrier wan0", "route add default via 10.7.0.254",
            ], change: ["link set wan0 down"]),
        Scenario(name: "the device is deleted", change: ["link del eth0"]),
        Scenario(
            name: "the device is deleted, where there is no IPv6", setup: withoutIPv6, change: ["link del eth0"]),
        Scenario(name: "the cable is pulled", change: ["link set eth0-peer down", "no carrier eth0"]),
        Scenario(
            name: "the cable is pulled, with ignore_routes_with_linkdown",
            setup: [
                "sysctl net.ipv4.conf.all.ignore_routes_with_linkdown=1",
                "sysctl net.ipv4.conf.eth0.ignore_routes_with_linkdown=1",
                "sysctl net.ipv6.conf.all.ignore_routes_with_linkdown=1",
                "sysctl net.ipv6.conf.eth0.ignore_routes_with_linkdown=1",
            ],
            change: ["link set eth0-peer down", "no carrier eth0"]),
        Scenario(
            name: "the cable is plugged in again", setup: ["link set eth0-peer down", "no carrier eth0"],
            change: ["link set eth0-peer up", "carrier eth0"]),
        Scenario(
            name: "a bridge loses its only port", target: "172.16.0.7",
            setup: withoutDefault + [
                "link add br0 type bridge", "link set eth1 master br0", "address add 172.16.0.1/24 dev br0",
                "link set br0 up", "carrier br0",
            ],
            change: ["link set eth1 nomaster", "no carrier br0"]),
        Scenario(
            name: "the one link goes down by which a link-local address was meant", target: "fe80::2%eth1",
            change: ["link set eth1 down"]),
    ]

    private static let policy = [
        Scenario(
            name: "the rule that leads into a VPN's table goes",
            setup: withoutDefault + [
                "route add default via 10.1.0.254 table 51820", "rule add not fwmark 51820 lookup 51820 priority 500",
            ],
            change: ["rule del lookup 51820"]),
        Scenario(
            name: "a rule forbids the host's network", change: ["rule add to 192.0.2.0/24 prohibit priority 400"]),
        Scenario(
            name: "a rule forbids the program's user everything",
            change: ["rule add uidrange 0-0 prohibit priority 400", "-6 rule add uidrange 0-0 prohibit priority 400"]),
        Scenario(
            name: "packets with a mark get a way of their own", keys: ["mark", "5"],
            setup: withoutDefault + ["route add default via 10.1.0.254 table 100"],
            change: ["rule add fwmark 5 lookup 100 priority 400"]),
        Scenario(
            name: "packets from an address get a way of their own", keys: ["from", "10.1.0.1"],
            setup: withoutDefault + ["route add default via 10.1.0.254 table 100"],
            change: ["rule add from 10.1.0.1 lookup 100 priority 400"]),
        Scenario(
            name: "the default route of a VRF goes", keys: ["oif", "vrf0"],
            setup: [
                "link add vrf0 type vrf table 10", "link set vrf0 up", "link set eth1 master vrf0",
                "route add default via 10.1.0.254 table 10",
            ],
            change: ["route del default table 10"]),
    ]

    private static let families = [
        Scenario(name: "IPv4's default route goes, and IPv6's stays", change: ["route del default"]),
        Scenario(
            name: "IPv4's default route goes, and IPv6's stays", target: farIPv6Host, change: ["route del default"]),
        Scenario(
            name: "IPv6 is turned off on the link", target: farIPv6Host,
            change: ["sysctl net.ipv6.conf.eth0.disable_ipv6=1"]),
        Scenario(
            name: "on an IPv6-only network, the default route goes", setup: ["route del default"],
            change: ["-6 route del default"]),
    ]

    private static let nothing = [
        Scenario(
            name: "a container comes and goes",
            change: [
                "link add veth7 type veth peer name veth8", "address add 172.17.0.1/16 dev veth7",
                "link set veth8 up", "link set veth7 up", "carrier veth7", "link del veth7",
            ]),
        Scenario(
            name: "leases are renewed",
            change: [
                "address change 10.0.0.1/24 dev eth0 valid_lft 3600 preferred_lft 3600",
                "address change 2001:db8::1/64 dev eth0 valid_lft 3600 preferred_lft 1800",
            ]),
        Scenario(
            name: "routes to elsewhere come and go",
            change: (0..<20).map { "route add 10.77.\($0).0/24 via 10.0.0.254" }
                + (0..<20).map { "route del 10.77.\($0).0/24" }),
        Scenario(
            name: "another link goes down", change: ["link set eth1 down"]),
        Scenario(
            name: "the network goes, and the question is about this machine", target: "10.1.0.1",
            change: ["link del eth0"]),
    ]
}
