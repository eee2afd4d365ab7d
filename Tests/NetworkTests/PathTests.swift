// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestHosts
import TestTopology
import TestWaiting
import Testing

@Suite("The path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct PathTests {
    @Test("is unsatisfied without any interface, and with lo alone")
    func nothing() throws {
        let network = try TestNetwork()
        for command in ["link set lo down", "link set lo up"] {
            try network.ip(command)
            let path = try network.path()
            #expect(path.status == .unsatisfied)
            #expect(path.unsatisfiedReason == .notAvailable)
            #expect(path.names == [])
            #expect(path.gateways == [])
            #expect(!path.supportsIPv4 && !path.supportsIPv6 && !path.supportsDNS)
            #expect(!path.usesInterfaceType(.loopback))
            #expect(path.debugDescription == "unsatisfied (No network route)")
        }
    }

    @Test("leaves by a wire with a default route, and not by one without")
    func wire() throws {
        let network = try TestNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        #expect(try network.path().status == .unsatisfied)
        try network.ip("route add default via 10.0.0.254")
        try network.topology.wire("eth1", address: "172.17.0.1/16")
        let path = try network.path()
        #expect(path.status == .satisfied)
        #expect(path.names == ["eth0"])
        #expect(path.types == [.wiredEthernet])
        #expect(path.availableInterfaces.first?.index == Int(try network.topology.index(of: "eth0").rawValue))
        #expect(path.supportsIPv4 && !path.supportsIPv6 && !path.supportsDNS)
        #expect(path.usesInterfaceType(.wiredEthernet))
        #expect(!path.isExpensive && !path.isConstrained && !path.isUltraConstrained)
        #expect(path.linkQuality == .unknown)
        #expect(path.gateways == [.hostPort(host: "10.0.0.254", port: .any)])
        #expect(path.localEndpoint == nil && path.remoteEndpoint == nil)
        #expect(path.debugDescription == "satisfied (Path is satisfied), interface: eth0, ipv4")
    }

    @Test("lists wire, Wi-Fi and mobile network by metric, and uses the first")
    func metrics() throws {
        let network = try TestNetwork()
        try network.addUplink("wwan0", number: 3, metric: 700, type: "wwan")
        try network.addUplink("wlan0", number: 2, metric: 600, type: "wlan")
        try network.addUplink("eth0", number: 1, metric: 100)
        let (monitor, recorder) = network.watch()

        let all = try recorder.next()
        #expect(all.names == ["eth0", "wlan0", "wwan0"])
        #expect(all.types == [.wiredEthernet, .wifi, .cellular])
        #expect(all.gateways.map { "\($0)" } == ["10.0.1.254:0", "10.0.2.254:0", "10.0.3.254:0"])
        #expect(all.usesInterfaceType(.wiredEthernet))
        #expect(!all.usesInterfaceType(.wifi) && !all.usesInterfaceType(.cellular) && !all.isExpensive)

        try network.ip("link set eth0 down")
        let wireless = try recorder.next { $0.names == ["wlan0", "wwan0"] }
        #expect(wireless.usesInterfaceType(.wifi) && !wireless.isExpensive)

        try network.ip("route del default via 10.0.2.254")
        let mobile = try recorder.next { $0.names == ["wwan0"] }
        #expect(mobile.usesInterfaceType(.cellular) && mobile.isExpensive)

        try network.ip("route del default via 10.0.3.254")
        #expect(try recorder.next { $0.status == .unsatisfied }.names == [])
        monitor.cancel()
    }

    @Test("works with IPv6 alone, and its gateways have their interface")
    func onlyIPv6() throws {
        let network = try TestNetwork()
        try network.topology.wire("eth0", address: "2001:db8::1/64")
        try network.ip("-6 route add default via fe80::1 dev eth0")
        let path = try network.path()
        #expect(path.status == .satisfied)
        #expect(path.supportsIPv6 && !path.supportsIPv4)
        #expect(path.names == ["eth0"])
        #expect(path.gateways.map { "\($0)" } == ["fe80::1%eth0.0"])
    }

    @Test("lists IPv4's link before IPv6's, and uses both")
    func twoFamilies() throws {
        let network = try TestNetwork()
        try network.topology.wire("eth6", address: "2001:db8::1/64")
        try network.ip("-6 route add default via 2001:db8::2")
        try network.topology.wire("wlan4", address: "10.0.0.1/24")
        try network.setDeviceType("wlan", of: "wlan4")
        try network.ip("route add default via 10.0.0.254")
        let path = try network.path()
        #expect(path.names == ["wlan4", "eth6"])
        #expect(path.supportsIPv4 && path.supportsIPv6)
        #expect(path.usesInterfaceType(.wifi) && path.usesInterfaceType(.wiredEthernet))
    }

    @Test(
        "is unsatisfied if the kernel refuses, whatever interfaces there are",
        arguments: ["route add blackhole default metric 1", "rule add priority 100 prohibit"])
    func refusal(command: String) throws {
        let network = try TestNetwork.wired()
        try network.ip(command)
        #expect(try network.path().status == .unsatisfied)
        #expect(try network.path { NWPathMonitor(requiredInterfaceType: .wiredEthernet) }.status == .unsatisfied)
    }

    @Test("supports DNS if servers are configured, and notices when they change")
    func servers() throws {
        let network = try TestNetwork.wired()
        let (monitor, recorder) = network.watch()
        #expect(try !recorder.next().supportsDNS)
        try network.configureServers("192.0.2.53")
        #expect(try recorder.next().supportsDNS)
        try network.execute("rm /etc/resolv.conf")
        #expect(try !recorder.next().supportsDNS)
        monitor.cancel()
    }

    /// In a separate process, because the fault is injected into the whole process.
    @Test("notices other servers with the next change of the network without inotify, and at once with it")
    func serversWithoutInotify() async {
        await #expect(processExitsWith: .success) { try PathTests.followServersWithoutInotify() }
    }

    /// Not in the macro's closure: there the compiler (Swift 6.3) gives `{ !$0.supportsDNS }` the code of a closure that
    /// `#require` makes for `first.supportsDNS`, and the test waits for a value that it has already seen.
    private static func followServersWithoutInotify() throws {
        let network = try TestNetwork.wired()
        FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles, times: .max)
        let (monitor, recorder) = network.watch()
        let first = try recorder.next()
        try #require(!first.supportsDNS)
        try network.configureServers("192.0.2.53")
        try network.ip("address add 10.9.0.1/32 dev lo")
        try recorder.next { $0.supportsDNS }

        // A new monitor makes the engine read the file again, before a change of the network makes it compare the file.
        try network.configureServers("192.0.2.53")
        try #require(network.path().supportsDNS)
        FaultInjection.reset()
        // The file is watched from the next change of the network on, which is this one.
        try network.ip("route replace default via 10.0.1.253 metric 100")
        let rerouted = try recorder.next { $0.gateways == [.hostPort(host: "10.0.1.253", port: .any)] }
        try #require(rerouted.supportsDNS)
        // A look that had begun before may have told of the route.
        try ProcessState.wait("the file is watched") {
            (0..<256).contains { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:inotify" }
        }
        try network.execute("rm /etc/resolv.conf")
        try recorder.next { !$0.supportsDNS }
        monitor.cancel()
        withExtendedLifetime(network) {}
    }
}
