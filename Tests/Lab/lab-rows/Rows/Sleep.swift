// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

extension Row {
    /// The guest suspends to memory (ACPI's S3), and its real-time clock wakes it up. Suspended otherwise, an emulated machine's
    /// clocks go on.
    static let sleep = [
        Row(
            name: "sleep",
            given: """
                echo deep > /sys/power/mem_sleep
                ip link add eth7 type veth peer name eth7-peer
                ip link set eth7-peer up
                ip addr add 10.0.7.1/24 dev eth7
                ip link set eth7 up
                ip route add default via 10.0.7.254
                """,
            steps: [
                Step(
                    "clock set", "date -s @$(( $(date +%s) + 3600 ))", calls: [], path: .wired("eth7"),
                    isAnotherIdentity: false),
                // The emulated machine sleeps once. Every later time it wakes up at once.
                Step("long sleep", "rtcwake -u -m mem -s 70", calls: [], path: .wired("eth7"), isAnotherIdentity: true),
                Step(
                    "short sleep", "rtcwake -u -m mem -s 5", calls: [], path: .wired("eth7"), isAnotherIdentity: false),
                Step(
                    "another route, and the same again",
                    "ip route replace default via 10.0.7.253; ip route replace default via 10.0.7.254",
                    calls: [], path: .wired("eth7"), isAnotherIdentity: false),
            ])
    ]
}
