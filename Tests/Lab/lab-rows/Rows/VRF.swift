// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// A VRF has its own routing table. Only packets bound to the VRF or one of its ports use it.
    static let vrf = [
        Row(
            name: "vrf", watched: "192.0.2.1 by blue",
            given: """
                ip link add blue type vrf table 10
                ip link set blue up
                """,
            steps: [
                Step(
                    "up",
                    """
                    ip link add eth0 type veth peer name cable
                    ip link set cable up
                    ip link set eth0 master blue
                    ip addr add 10.0.0.1/24 dev eth0
                    ip link set eth0 up
                    ip route add default via 10.0.0.254 vrf blue
                    """,
                    calls: [.reachable],
                    answers: [
                        "192.0.2.1": [], "default": [], "10.0.0.2": [], "192.0.2.1 by eth0": .reachable,
                        "10.0.0.2 by blue": .direct, "10.0.0.1 by blue": .own, "default by blue": .reachable,
                    ]),
                Step("its port loses the carrier", "ip link set cable down", calls: [[]]),
                Step("and finds it", "ip link set cable up", calls: [.reachable]),
                Step("its port leaves", "ip link set eth0 nomaster", calls: [[]], answers: ["192.0.2.1 by eth0": []]),
                Step(
                    "and comes back",
                    """
                    ip link set eth0 master blue
                    ip route replace default via 10.0.0.254 vrf blue
                    """,
                    calls: [.reachable]),
                Step("deleted", "ip link del blue", calls: [[]]),
            ]),
        vrfExec,
    ]

    /// `ip vrf exec` runs a program in a control group that binds every new socket to the VRF. Only the VRF's table has
    /// routes to 192.0.2.1 and 2001:db8:2::1, and only the main table has one to 203.0.113.1.
    private static let vrfExec = Row(
        name: "vrf-exec", watched: "203.0.113.1",
        // If a VRF's table has no route, the lookup continues in the main table (Documentation/networking/vrf.rst).
        given: """
            ip link add blue type vrf table 10
            ip link set blue up
            ip route add unreachable default metric 4278198272 vrf blue
            ip -6 route add unreachable default metric 4278198272 vrf blue
            for number in 0 1; do
                ip link add eth$number type veth peer name cable$number
                ip link set cable$number up
            done
            ip link set eth0 master blue
            ip addr add 10.0.0.1/24 dev eth0
            ip addr add fd00::1/64 dev eth0 nodad
            ip addr add 10.1.0.1/24 dev eth1
            ip link set eth0 up
            ip link set eth1 up
            """,
        steps: [
            Step(
                "each table has a route",
                """
                ip route add 192.0.2.0/24 via 10.0.0.254 vrf blue
                ip -6 route add 2001:db8:2::/48 via fd00::fe vrf blue
                ip route add 203.0.113.0/24 via 10.1.0.254
                # The same by real sockets.
                connect=': > /dev/udp/$0/9'
                ip vrf exec blue bash -c "$connect" 192.0.2.1
                ip vrf exec blue bash -c "$connect" 2001:db8:2::1
                bash -c "$connect" 203.0.113.1
                if bash -c "$connect" 192.0.2.1 2> /dev/null; then exit 1; fi
                if ip vrf exec blue bash -c "$connect" 203.0.113.1 2> /dev/null; then exit 1; fi
                """,
                calls: [.reachable],
                answers: [
                    "192.0.2.1": [], "192.0.2.1 in blue": .reachable,
                    "2001:db8:2::1": [], "2001:db8:2::1 in blue": .reachable,
                    "203.0.113.1 in blue": [],
                    "10.0.0.1": [], "10.0.0.1 in blue": .own, "10.0.0.2 in blue": .direct,
                    "10.0.0.1,192.0.2.1": [], "10.0.0.1,192.0.2.1 in blue": .reachable,
                    "10.1.0.1,203.0.113.1": .reachable, "10.1.0.1,203.0.113.1 in blue": [],
                    "default": [], "default in blue": [],
                ]),
            // A socket can be connected then, but its packets would leave by a link that is not a port of the VRF.
            Step(
                "the VRF has no route for all else",
                """
                ip route del unreachable default metric 4278198272 vrf blue
                ip vrf exec blue bash -c ': > /dev/udp/$0/9' 203.0.113.1
                """,
                calls: [], answers: ["203.0.113.1 in blue": [], "203.0.113.1 by blue": []]),
            Step(
                "the VRF has a default route", "ip route add default via 10.0.0.254 vrf blue", calls: [],
                answers: ["default": [], "default in blue": .reachable, "203.0.113.1 in blue": .reachable]),
            Step(
                "its port loses the carrier", "ip link set cable0 down", calls: [],
                answers: ["192.0.2.1 in blue": [], "10.0.0.1,192.0.2.1 in blue": [], "default in blue": []]),
            Step(
                "the other one's as well", "ip link set cable1 down", calls: [[]],
                answers: ["203.0.113.1 in blue": []]),
        ])
}
