// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// Tunnels over an Ethernet link without a default route. Each has one peer, apart from `vxlan`, which is a network
    /// of type Ethernet.
    static let tunnels =
        [
            tunnel("ipip", "type ipip local 10.0.0.1 remote 10.0.0.2"),
            tunnel("gre", "type gre local 10.0.0.1 remote 10.0.0.2"),
            tunnel("sit", "type sit local 10.0.0.1 remote 10.0.0.2", isIPv6: true),
            tunnel("ip6tnl", "type ip6tnl local 2001:db8:7::1 remote 2001:db8:7::2", isIPv6: true),
            // The one without IFF_POINTOPOINT.
            tunnel("xfrm", "type xfrm dev eth0 if_id 42"),
            vxlan,
        ]

    private static func tunnel(_ kind: String, _ options: String, isIPv6: Bool = false) -> Row {
        let watched: Question = isIPv6 ? "2001:db8:9::1" : "192.0.2.1"
        let (own, peer) = isIPv6 ? ("2001:db8:64::1", "2001:db8:64::2") : ("10.64.0.1", "10.64.0.2")
        let route = isIPv6 ? "ip -6 route add default dev t0" : "ip route add default dev t0"
        return Row(
            name: kind, watched: watched, given: wire + "ip addr add 2001:db8:7::1/64 dev eth0 nodad",
            steps: [
                Step(
                    "up",
                    """
                    ip link add t0 \(options)
                    ip addr add \(own)/\(isIPv6 ? 64 : 24) dev t0 \(isIPv6 ? "nodad" : "")
                    ip link set t0 up
                    \(route)
                    """,
                    calls: [.transient], path: .other("t0"),
                    answers: [
                        Question(stringLiteral: own): .own, Question(stringLiteral: peer): .transient,
                        "default": .transient,
                    ]),
                // The kernel sends into a tunnel whatever the state of the link below.
                Step("down", "ip link set t0 down", calls: [[]]),
                Step("up again", "ip link set t0 up; \(route)", calls: [.transient], path: .other("t0")),
                Step("deleted", "ip link del t0", calls: [[]]),
            ])
    }

    private static let vxlan = Row(
        name: "vxlan", given: wire,
        steps: [
            Step(
                "up",
                """
                ip link add t0 type vxlan id 7 remote 10.0.0.2 dstport 4789 dev eth0
                ip addr add 10.64.0.1/24 dev t0
                ip link set t0 up
                ip route add default via 10.64.0.2
                """,
                calls: [.reachable], path: .other("t0"), answers: ["10.64.0.2": .direct]),
            Step("down", "ip link set t0 down", calls: [[]]),
            Step(
                "up again", "ip link set t0 up; ip route add default via 10.64.0.2",
                calls: [.reachable], path: .other("t0")),
            Step("what it leaves by is deleted", "ip link del eth0", calls: [[]]),
        ])
}
