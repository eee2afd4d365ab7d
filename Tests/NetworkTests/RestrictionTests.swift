// SPDX-License-Identifier: Apache-2.0

import Network
import TestTopology
import Testing

@Suite("A monitor of some interfaces", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct RestrictionTests {
    @Test("sees those it requires and no others")
    func required() throws {
        let network = try TestNetwork.wired()
        try network.addUplink("wlan0", number: 2, metric: 600, type: "wlan")
        let wifi = try network.path { NWPathMonitor(requiredInterfaceType: .wifi) }
        #expect(wifi.status == .satisfied)
        #expect(wifi.names == ["wlan0"])
        #expect(wifi.usesInterfaceType(.wifi) && !wifi.usesInterfaceType(.wiredEthernet))
        #expect(wifi.gateways.count == 1)
        let cellular = try network.path { NWPathMonitor(requiredInterfaceType: .cellular) }
        #expect(cellular.status == .unsatisfied)
        #expect(cellular.names == [])
    }

    @Test("sees none of those it prohibits")
    func prohibited() throws {
        let network = try TestNetwork.wired()
        try network.addUplink("wwan0", number: 2, metric: 600, type: "wwan")
        let path = try network.path { NWPathMonitor(prohibitedInterfaceTypes: [.wiredEthernet, .loopback]) }
        #expect(path.status == .satisfied)
        #expect(path.names == ["wwan0"])
        #expect(path.isExpensive)
        #expect(try network.path { NWPathMonitor(prohibitedInterfaceTypes: []) }.names == ["eth0", "wwan0"])
        let none = try network.path { NWPathMonitor(prohibitedInterfaceTypes: [.wiredEthernet, .cellular]) }
        #expect(none.status == .unsatisfied)
    }

    @Test("of the loopback type is satisfied while lo is up")
    func loopback() throws {
        let network = try TestNetwork()
        let path = try network.path { NWPathMonitor(requiredInterfaceType: .loopback) }
        #expect(path.status == .satisfied)
        #expect(path.names == ["lo"])
        #expect(path.supportsIPv4 && path.supportsIPv6)
        try network.ip("link set lo down")
        #expect(try network.path { NWPathMonitor(requiredInterfaceType: .loopback) }.status == .unsatisfied)
    }

    @Test("reports changes that others do not see")
    func secondary() throws {
        let network = try TestNetwork.wired()
        try network.addUplink("wlan0", number: 2, metric: 600, type: "wlan")
        let (monitor, recorder) = network.watch { NWPathMonitor(requiredInterfaceType: .wiredEthernet) }
        try recorder.next()
        let (other, wifi) = network.watch { NWPathMonitor(requiredInterfaceType: .wifi) }
        try wifi.next()
        try network.ip("link set wlan0-peer down")
        #expect(try wifi.next().status == .unsatisfied)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
        other.cancel()
    }
}
