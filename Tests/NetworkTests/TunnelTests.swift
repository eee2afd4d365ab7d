// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("A tunnel that takes everything", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs, .tun))
struct TunnelTests {
    /// VPNs take all packets in two ways: by two routes that are longer than any default route (OpenVPN's
    /// redirect-gateway), or by a rule for all packets but the tunnel's own (wg-quick).
    @Test(
        "carries packets, over the wire below it",
        arguments: [
            "route add 0.0.0.0/1 dev tun0\nroute add 128.0.0.0/1 dev tun0",
            "route add default dev tun0 table 51820\nrule add priority 100 not fwmark 51820 table 51820",
        ])
    func full(commands: String) throws {
        let network = try TestNetwork()
        try network.addUplink("wlan0", number: 1, metric: 600, type: "wlan")
        let (monitor, recorder) = network.watch()
        #expect(try recorder.next().names == ["wlan0"])
        let device = try network.topology.tun("tun0", address: "10.8.0.2/24")
        try network.ip(commands)
        let path = try recorder.next { $0.names.first == "tun0" }
        #expect(path.names == ["tun0", "wlan0"])
        #expect(path.types == [.other, .wifi])
        #expect(path.usesInterfaceType(.other) && path.usesInterfaceType(.wifi))
        #expect(try network.path { NWPathMonitor(prohibitedInterfaceTypes: [.other]) }.names == ["wlan0"])
        device.close()
        #expect(try recorder.next { $0.names == ["wlan0"] }.usesInterfaceType(.other) == false)
        monitor.cancel()
    }

    /// A program that is gone leaves a persistent device without carrier, and its routes.
    @Test("is the reason if its program is gone")
    func down() throws {
        let network = try TestNetwork()
        try network.addUplink("eth0", number: 1, metric: 100)
        let device = try network.topology.tun("tun0", address: "10.8.0.2/24")
        try network.ip("route add default dev tun0")
        let (monitor, recorder) = network.watch()
        #expect(try recorder.next().unsatisfiedReason == .notAvailable)
        try device.setCarrier(false)
        let path = try recorder.next { $0.status == .unsatisfied }
        #expect(path.unsatisfiedReason == .vpnInactive)
        #expect(path.debugDescription == "unsatisfied (VPN is inactive)")
        monitor.cancel()
        device.close()
    }

    @Test("carries packets without an address of its own")
    func unnumbered() throws {
        let network = try TestNetwork()
        let device = try network.topology.tun("ppp0", .ppp)
        try network.ip("route add default dev ppp0")
        #expect(try network.path().status == .unsatisfied, "there is no address to send from")
        // An unnumbered link uses another link's address.
        try network.ip("address add 192.0.2.9/32 dev lo")
        let path = try network.path()
        #expect(path.status == .satisfied)
        #expect(path.names == ["ppp0"])
        #expect(path.types == [.other])
        #expect(path.gateways == [])
        device.close()
    }
}
