// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// Links of type Ethernet that are made of other links, or of nothing. Apart from `dummy`, they count as wired.
    static let stacked = [bond, vlan, macvlan, dummy]

    private static let bond = Row(
        name: "bond",
        given: """
            modprobe bonding max_bonds=0
            ip link add eth0 type veth peer name cable0
            ip link add eth1 type veth peer name cable1
            ip link set cable0 up
            ip link set cable1 up
            """,
        steps: [
            Step(
                "without a member",
                """
                ip link add bond0 type bond mode active-backup miimon 10
                ip addr add 10.0.0.1/24 dev bond0
                ip link set bond0 up
                ip route add default via 10.0.0.254
                lab-rows --await-broken bond0
                """,
                calls: [], answers: ["10.0.0.1": .own, "10.0.0.2": []], alternative: [.reachable, []]),
            Step(
                "its first member", "ip link set eth0 master bond0",
                calls: [.reachable], path: .wired("bond0"),
                answers: ["10.0.0.2": .direct, "default": .reachable]),
            Step("a second one", "ip link set eth1 master bond0", calls: [], path: .wired("bond0")),
            Step(
                "another active one", "ip link set bond0 type bond active_slave eth1",
                calls: [], path: .wired("bond0")),
            Step("the first loses its carrier", "ip link set cable0 down", calls: [], path: .wired("bond0")),
            Step("so does the last", "ip link set cable1 down", calls: [[]], answers: ["10.0.0.1": .own]),
            Step("a carrier again", "ip link set cable0 up", calls: [.reachable], path: .wired("bond0")),
            Step("deleted", "ip link del bond0", calls: [[]], answers: ["10.0.0.1": []]),
        ])

    private static let vlan = Row(
        name: "vlan",
        given: wire + "modprobe 8021q",
        steps: [
            Step(
                "up",
                """
                ip link add link eth0 name eth0.7 type vlan id 7
                ip addr add 10.7.0.1/24 dev eth0.7
                ip link set eth0.7 up
                ip route add default via 10.7.0.254
                """,
                calls: [.reachable], path: .wired("eth0.7")),
            Step(
                "its parent becomes dormant",
                dormant("eth0"),
                calls: [.afterLogin], path: .dormant(.wiredEthernet, "eth0.7"),
                answers: ["10.7.0.2": [.reachable, .connectionRequired, .isDirect], "10.7.0.1": .own]),
            Step("and wakes", wake, calls: [.reachable], path: .wired("eth0.7")),
            Step("its parent's carrier is lost", "ip link set cable down", calls: [[]]),
            Step("and found", "ip link set cable up", calls: [.reachable], path: .wired("eth0.7")),
            // This removes the VLAN's routes, and does not restore the default route.
            Step("its parent is taken down", "ip link set eth0 down", calls: [[]]),
            Step("and up again", "ip link set eth0 up", calls: [], answers: ["10.7.0.2": .direct]),
        ])

    private static let wake = """
        ip link set eth0 mode default
        ip link set eth0 state up
        """

    private static let macvlan = Row(
        name: "macvlan",
        given: wire,
        steps: [
            Step(
                "up",
                """
                ip link add link eth0 name mac0 type macvlan mode bridge
                ip addr add 10.7.0.1/24 dev mac0
                ip link set mac0 up
                ip route add default via 10.7.0.254
                """,
                calls: [.reachable], path: .wired("mac0"), answers: ["10.7.0.2": .direct]),
            Step(
                "its parent becomes dormant",
                dormant("eth0"),
                calls: [.afterLogin], path: .dormant(.wiredEthernet, "mac0")),
            Step("and wakes", wake, calls: [.reachable], path: .wired("mac0")),
            Step("its parent's carrier is lost", "ip link set cable down", calls: [[]]),
            Step("and found", "ip link set cable up", calls: [.reachable], path: .wired("mac0")),
            Step("its parent is deleted", "ip link del eth0", calls: [[]]),
        ])

    private static let dummy = Row(
        name: "dummy",
        steps: [
            Step(
                "up",
                """
                ip link add dummy0 type dummy
                ip addr add 10.7.0.1/24 dev dummy0
                ip link set dummy0 up
                ip route add default via 10.7.0.254
                """,
                calls: [.reachable], path: .other("dummy0"), answers: ["10.7.0.2": .direct]),
            Step("without carrier", "ip link set dummy0 carrier off", calls: [[]]),
            Step("with carrier", "ip link set dummy0 carrier on", calls: [.reachable], path: .other("dummy0")),
            Step("down", "ip link set dummy0 down", calls: [[]], answers: ["10.7.0.1": .own]),
        ])

    /// Puts a link into the state of one that waits for a login or for traffic.
    static func dormant(_ link: String) -> String {
        "ip link set \(link) mode dormant; ip link set \(link) state dormant"
    }

    /// An Ethernet link to a silent neighbour.
    static let wire = """
        ip link add eth0 type veth peer name cable
        ip addr add 10.0.0.1/24 dev eth0
        ip link set cable up
        ip link set eth0 up

        """
}
