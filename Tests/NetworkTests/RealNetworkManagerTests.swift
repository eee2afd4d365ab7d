// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite(
    "The real NetworkManager", .timeLimit(.minutes(10)),
    .needs(.namespaces, .settings, .sysfs, .networkManager))
struct RealNetworkManagerTests {
    private let network: TestNetwork
    private let router: Machine
    private let server: ConnectivityServer
    private let bus: RunningProgram
    private let paths = ReceivedValues<NetworkPath>()

    init() throws {
        network = try TestNetwork()
        router = try Machine()
        try network.topology.wire("eth0", peer: "lan0", peerAddress: "10.0.1.254/24", in: router)
        server = try router.run { try ConnectivityServer(.online) }
        try network.execute("mount -t tmpfs tmpfs /run")
        bus = try network.realBus("/usr/bin/dbus-daemon")
    }

    /// The next path that NetworkManager has put up, and that it says this about.
    private func next(_ connectivity: NetworkPath.Connectivity, isExpensive: Bool) throws {
        try paths.next { path in
            let view = path.view()
            return view.status == .satisfied && view.isExpensive == isExpensive && path.connectivity == connectivity
        }
    }

    @Test("says what is metered: yes, no, and what it guesses")
    func metered() throws {
        let subscription = try network.topology.run { try PathSource().observe(paths.record) }
        let manager = try network.networkManager(metered: 1)
        try next(.full, isExpensive: true)
        try network.nmcli("connection modify wire0 connection.metered no")
        try network.nmcli("device reapply eth0")
        try next(.full, isExpensive: false)
        try network.nmcli("connection modify wire0 connection.metered yes")
        try network.nmcli("device reapply eth0")
        try next(.full, isExpensive: true)
        // A wire with an address of the user's is guessed to cost nothing.
        try network.nmcli("connection modify wire0 connection.metered unknown")
        try network.nmcli("device reapply eth0")
        try next(.full, isExpensive: false)
        // A phone that shares its connection says so by DHCP.
        let dhcp = try RunningProgram.dnsmasq(
            [
                "--port=0", "--interface=lan0", "--no-ping", "--dhcp-leasefile=/dev/null", "--leasefile-ro",
                "--dhcp-range=10.0.1.10,10.0.1.20", "--dhcp-option-force=43,ANDROID_METERED",
            ], in: router, until: "DHCP, IP range")
        try network.nmcli("connection modify wire0 ipv4.method auto ipv4.addresses '' ipv4.gateway ''")
        try network.nmcli("connection up wire0")
        try next(.full, isExpensive: true)
        // Its answers end with it. The route stays.
        manager.end()
        try next(.unknown, isExpensive: false)
        dhcp.end()
        end(subscription)
    }

    @Test("says what its check found: full, portal, limited, and nothing without a connection")
    func connectivity() throws {
        let subscription = try network.topology.run { try PathSource().observe(paths.record) }
        let manager = try network.networkManager(metered: 2)
        try next(.full, isExpensive: false)
        for (manner, connectivity) in [
            (.redirecting, .portal), (.online, .full), (.hangingUp, .limited), (.redirecting, .portal),
        ] as [(ConnectivityServer.Manner, NetworkPath.Connectivity)] {
            server.set(manner)
            try network.nmcli("networking connectivity check")
            try next(connectivity, isExpensive: false)
            let asked = try network.topology.run { try PathSource().current(hintTimeout: .seconds(60)) }
            #expect(asked.connectivity == connectivity)
        }
        try network.nmcli("connection down wire0")
        // No device is left that could have been checked.
        try paths.next { $0.connectivity == .unknown && $0.view().status == .unsatisfied }
        manager.end()
        end(subscription)
    }

    @Test("says it of each device, and nothing of one that it does not manage")
    func devices() throws {
        try network.topology.wire("eth1", peer: "lan1", peerAddress: "10.0.2.254/24", in: router)
        let subscription = try network.topology.run { try PathSource().observe(paths.record) }
        let manager = try network.networkManager(metered: 1, 1)
        try paths.next { $0.metered == ["eth0", "eth1"] && $0.connectivity == .full }
        try network.nmcli("connection modify wire0 connection.metered no")
        try network.nmcli("device reapply eth0")
        try paths.next { $0.metered == ["eth1"] && !$0.view().isExpensive }
        try network.nmcli("device set eth0 managed no")
        // Packets leave by eth0 still. NetworkManager's property says "full" of it still.
        try paths.next { $0.metered == ["eth1"] && $0.connectivity == .unknown && !$0.view().isExpensive }
        try network.ip("link del eth1")
        try paths.next { $0.metered == [] && $0.interfaces.map(\.name) == ["eth0"] }
        try network.topology.wire("eth1", peer: "lan1", peerAddress: "10.0.2.254/24", in: router)
        try paths.next { $0.metered == ["eth1"] }
        try network.ip("route del default dev eth0")
        try paths.next { $0.metered == ["eth1"] && $0.connectivity == .full && $0.view().isExpensive }
        manager.end()
        try paths.next { $0.metered == [] && $0.connectivity == .unknown }
        end(subscription)
    }

    private func end(_ subscription: CancellationToken) {
        subscription.cancel()
        server.stop()
        bus.end()
    }
}
