// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// A routing table of its own, which only packets bound to the VRF or one of its ports get to see.
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
            ])
    ]
}
