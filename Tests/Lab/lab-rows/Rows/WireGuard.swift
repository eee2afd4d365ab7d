// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    static let wireGuard = [wireguard, wgQuick]

    private static let wireguard = Row(
        name: "wireguard", given: wire,
        steps: [
            // The kernel has no state for a missing peer, so a tunnel without one counts as working.
            Step(
                "up, with no peer",
                """
                ip link add wg0 type wireguard
                ip addr add 10.64.0.1/24 dev wg0
                ip link set wg0 up
                ip route add default dev wg0
                """,
                calls: [.transient], path: .other("wg0"),
                answers: ["10.64.0.1": .own, "10.64.0.2": .transient, "default": .transient]),
            Step(
                "a key and a peer",
                """
                wg genkey > /tmp/private
                wg genkey | wg pubkey > /tmp/peer
                wg set wg0 private-key /tmp/private peer $(cat /tmp/peer) allowed-ips 0.0.0.0/0 endpoint 10.0.0.2:51820
                """,
                calls: [], path: .other("wg0")),
            Step("down", "ip link set wg0 down", calls: [[]]),
            Step(
                "up again", "ip link set wg0 up; ip route add default dev wg0",
                calls: [.transient], path: .other("wg0")),
            Step("deleted", "ip link del wg0", calls: [[]]),
        ])

    /// The default route stays, in a table that policy rules bypass.
    private static let wgQuick = Row(
        name: "wg-quick",
        given: wire + """
            mkdir -p /etc/wireguard
            umask 077
            cat > /etc/wireguard/wg0.conf << CONF
            [Interface]
            PrivateKey = $(wg genkey)
            Address = 10.64.0.1/24
            [Peer]
            PublicKey = $(wg genkey | wg pubkey)
            Endpoint = 10.0.0.2:51820
            AllowedIPs = 0.0.0.0/0
            CONF
            """,
        steps: [
            Step("before", "ip route add default via 10.0.0.254", calls: [.reachable], path: .wired("eth0")),
            Step(
                "up", "wg-quick up wg0 > /tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }",
                calls: [.transient], path: .other("wg0"),
                answers: ["default": .transient, "10.0.0.2": .direct, "192.0.2.1 by eth0": .reachable],
                isAnotherLink: true),
            Step(
                "down", "wg-quick down wg0 > /tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }",
                calls: [.reachable], path: .wired("eth0"), isAnotherLink: true),
        ])
}
