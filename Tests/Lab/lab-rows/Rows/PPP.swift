// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// Two instances of pppd. One stands for the provider, in its own namespace, at the other end of a terminal.
    static let ppp = [dialled, onDemand]

    private static let provider = """
        modprobe ppp_async
        ip netns add provider
        ip -n provider link set lo up
        cat > /run/provider << 'SH'
        exec ip netns exec provider pppd nodetach notty noauth local noipv6 unit 7 10.64.0.2:10.64.0.1
        SH
        """

    /// The provider's pppd writes its process id into a file named after its unit.
    private static let hangUp = "kill $(cat /run/ppp7.pid)"

    private static let dialled = Row(
        name: "ppp", given: provider,
        steps: [
            Step(
                "dials",
                """
                pppd nodetach noauth local noipv6 persist maxfail 0 holdoff 1 unit 0 defaultroute ipcp-accept-remote \
                    10.64.0.1:10.64.0.2 pty 'sh /run/provider' > /tmp/log 2>&1 &
                """,
                calls: [.transient], path: .other("ppp0"),
                answers: ["10.64.0.1": .own, "10.64.0.2": .transient, "default": .transient], isAnotherLink: true),
            Step(
                "hung up by the provider, dials again", hangUp,
                calls: [[], .transient], path: .other("ppp0"), isAnotherLink: true),
            Step("hangs up for good", "kill $(cat /run/ppp0.pid)", calls: [[]], answers: ["10.64.0.1": []]),
        ])

    /// While pppd waits for traffic, its link is up and has its route. The kernel shows no difference, and so neither
    /// do the flags. pppd's scripts tell when it has dialled and hung up.
    private static let onDemand = Row(
        name: "ppp-demand",
        given: provider + """

            for moment in up down; do
                mkfifo /run/ip-$moment
                printf '#!/bin/sh\\n[ $1 != ppp0 ] || echo > /run/ip-%s\\n' $moment > /etc/ppp/ip-$moment
                chmod +x /etc/ppp/ip-$moment
            done
            """,
        steps: [
            Step(
                "before dialling",
                """
                pppd nodetach noauth local noipv6 demand persist holdoff 1 unit 0 defaultroute ipcp-accept-remote \
                    10.64.0.1:10.64.0.2 pty 'sh /run/provider' > /tmp/log 2>&1 &
                """,
                calls: [.transient], path: .other("ppp0"), answers: ["10.64.0.2": .transient]),
            Step(
                "traffic dials",
                """
                ping -c 1 -W 60 10.64.0.2 > /dev/null
                read nothing < /run/ip-up
                """,
                calls: [], path: .other("ppp0"), answers: ["10.64.0.2": .transient]),
            Step(
                "hung up by the provider", hangUp + "\nread nothing < /run/ip-down",
                calls: [], path: .other("ppp0"), answers: ["10.64.0.2": .transient]),
            Step("ends", "kill $(cat /run/ppp0.pid)", calls: [[]]),
        ])
}
