// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Network
import NetworkFacts
import TestHosts
import TestTopology
import TestWaiting
import Testing

@Suite("The path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct PathTests {
    @Test("is unsatisfied without any interface, and with lo alone")
    func nothing() throws {
        let place = try Surroundings()
        for command in ["link set lo down", "link set lo up"] {
            try place.ip(command)
            let path = try place.path()
            #expect(path.status == .unsatisfied)
            #expect(path.unsatisfiedReason == .notAvailable)
            #expect(path.names == [])
            #expect(path.gateways == [])
            #expect(!path.supportsIPv4 && !path.supportsIPv6 && !path.supportsDNS)
            #expect(!path.usesInterfaceType(.loopback))
            #expect(path.debugDescription == "unsatisfied (No network route)")
        }
    }

    @Test("leads over a wire with a default route, and not over one without")
    func wire() throws {
        let place = try Surroundings()
        try place.topology.wire("eth0", address: "10.0.0.1/24")
        #expect(try place.path().status == .unsatisfied)
        try place.ip("route add default via 10.0.0.254")
        try place.topology.wire("eth1", address: "172.17.0.1/16")
        let path = try place.path()
        #expect(path.status == .satisfied)
        #expect(path.names == ["eth0"])
        #expect(path.types == [.wiredEthernet])
        #expect(path.availableInterfaces.first?.index == Int(try place.topology.index(of: "eth0").rawValue))
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
        let place = try Surroundings()
        try place.wayOut("wwan0", number: 3, metric: 700, type: "wwan")
        try place.wayOut("wlan0", number: 2, metric: 600, type: "wlan")
        try place.wayOut("eth0", number: 1, metric: 100)
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.start(monitor, recorder)

        let all = try recorder.next()
        #expect(all.names == ["eth0", "wlan0", "wwan0"])
        #expect(all.types == [.wiredEthernet, .wifi, .cellular])
        #expect(all.gateways.map { "\($0)" } == ["10.0.1.254:0", "10.0.2.254:0", "10.0.3.254:0"])
        #expect(all.usesInterfaceType(.wiredEthernet))
        #expect(!all.usesInterfaceType(.wifi) && !all.usesInterfaceType(.cellular) && !all.isExpensive)

        try place.ip("link set eth0 down")
        let wireless = try recorder.next { $0.names == ["wlan0", "wwan0"] }
        #expect(wireless.usesInterfaceType(.wifi) && !wireless.isExpensive)

        try place.ip("route del default via 10.0.2.254")
        let mobile = try recorder.next { $0.names == ["wwan0"] }
        #expect(mobile.usesInterfaceType(.cellular) && mobile.isExpensive)

        try place.ip("route del default via 10.0.3.254")
        #expect(try recorder.next { $0.status == .unsatisfied }.names == [])
        monitor.cancel()
    }

    @Test("is as good with IPv6 alone, and its routers carry their interface")
    func onlyIPv6() throws {
        let place = try Surroundings()
        try place.topology.wire("eth0", address: "2001:db8::1/64")
        try place.ip("-6 route add default via fe80::1 dev eth0")
        let path = try place.path()
        #expect(path.status == .satisfied)
        #expect(path.supportsIPv6 && !path.supportsIPv4)
        #expect(path.names == ["eth0"])
        #expect(path.gateways.map { "\($0)" } == ["fe80::1%eth0.0"])
    }

    @Test("of two families over two links lists IPv4's first, and uses both")
    func twoFamilies() throws {
        let place = try Surroundings()
        try place.topology.wire("eth6", address: "2001:db8::1/64")
        try place.ip("-6 route add default via 2001:db8::2")
        try place.topology.wire("wlan4", address: "10.0.0.1/24")
        try place.setDeviceType("wlan", of: "wlan4")
        try place.ip("route add default via 10.0.0.254")
        let path = try place.path()
        #expect(path.names == ["wlan4", "eth6"])
        #expect(path.supportsIPv4 && path.supportsIPv6)
        #expect(path.usesInterfaceType(.wifi) && path.usesInterfaceType(.wiredEthernet))
    }

    @Test("breaks with the link or its carrier, and mends with it")
    func breakage() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.start(monitor, recorder)
        #expect(try recorder.next().status == .satisfied)
        try place.ip("link set eth0-peer down")
        #expect(try recorder.next().status == .unsatisfied)
        try place.ip("link set eth0-peer up")
        #expect(try recorder.next().status == .satisfied)
        try place.ip("link set eth0 down")
        #expect(try recorder.next().status == .unsatisfied)
        try place.ip("link set eth0 up")
        try place.ip("route add default via 10.0.1.254")
        #expect(try recorder.next { $0.status == .satisfied }.names == ["eth0"])
        monitor.cancel()
    }

    @Test("over a link that waits for a login requires a connection")
    func dormant() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.topology.setOperationalState(.dormant, of: "eth0")
        let path = try place.path()
        #expect(path.status == .requiresConnection)
        #expect(path.names == ["eth0"])
        #expect(!path.supportsIPv4)
    }

    @Test(
        "is unsatisfied where the kernel refuses, whatever interfaces there are",
        arguments: ["route add blackhole default metric 1", "rule add priority 100 prohibit"])
    func refusal(command: String) throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.ip(command)
        #expect(try place.path().status == .unsatisfied)
        #expect(try place.path { NWPathMonitor(requiredInterfaceType: .wiredEthernet) }.status == .unsatisfied)
    }

    @Test("supports DNS where servers are configured, and hears of their coming and going")
    func servers() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.start(monitor, recorder)
        #expect(try !recorder.next().supportsDNS)
        try place.configureServers("192.0.2.53")
        #expect(try recorder.next().supportsDNS)
        try place.execute("rm /etc/resolv.conf")
        #expect(try !recorder.next().supportsDNS)
        monitor.cancel()
    }

    #if DEBUG
        /// inotify's means are the whole process's.
        @Test("hears of other servers with the next change of the network without inotify, and at once with it")
        func serversWithoutInotify() async {
            await #expect(processExitsWith: .success) {
                let place = try Surroundings()
                try place.wayOut("eth0", number: 1, metric: 100)
                FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles, times: .max)
                let recorder = PathRecorder()
                let monitor = place.monitor()
                place.start(monitor, recorder)
                let first = try recorder.next()
                try #require(!first.supportsDNS)
                try place.configureServers("192.0.2.53")
                try place.ip("address add 10.9.0.1/32 dev lo")
                let configured = try recorder.next()
                try #require(configured.supportsDNS)

                FaultInjection.reset()
                try place.ip("address del 10.9.0.1/32 dev lo")
                // A file is watched from the next look on, which comes with this at the latest.
                try place.ip("route replace default via 10.0.1.253 metric 100")
                let rerouted = try recorder.next()
                try #require(rerouted.supportsDNS)
                let watching = (0..<256).count { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:inotify" }
                try #require(watching > 0)
                try place.execute("rm /etc/resolv.conf")
                let last = try recorder.next()
                try #require(!last.supportsDNS)
                monitor.cancel()
            }
        }
    #endif
}

@Suite("A monitor of some interfaces", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct RestrictionTests {
    @Test("sees those it requires and no others")
    func required() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.wayOut("wlan0", number: 2, metric: 600, type: "wlan")
        let wifi = try place.path { NWPathMonitor(requiredInterfaceType: .wifi) }
        #expect(wifi.status == .satisfied)
        #expect(wifi.names == ["wlan0"])
        #expect(wifi.usesInterfaceType(.wifi) && !wifi.usesInterfaceType(.wiredEthernet))
        #expect(wifi.gateways.count == 1)
        let cellular = try place.path { NWPathMonitor(requiredInterfaceType: .cellular) }
        #expect(cellular.status == .unsatisfied)
        #expect(cellular.names == [])
    }

    @Test("sees none of those it prohibits")
    func prohibited() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.wayOut("wwan0", number: 2, metric: 600, type: "wwan")
        let path = try place.path { NWPathMonitor(prohibitedInterfaceTypes: [.wiredEthernet, .loopback]) }
        #expect(path.status == .satisfied)
        #expect(path.names == ["wwan0"])
        #expect(path.isExpensive)
        #expect(try place.path { NWPathMonitor(prohibitedInterfaceTypes: []) }.names == ["eth0", "wwan0"])
        let none = try place.path { NWPathMonitor(prohibitedInterfaceTypes: [.wiredEthernet, .cellular]) }
        #expect(none.status == .unsatisfied)
    }

    @Test("of the loopback type is satisfied while lo is up")
    func loopback() throws {
        let place = try Surroundings()
        let path = try place.path { NWPathMonitor(requiredInterfaceType: .loopback) }
        #expect(path.status == .satisfied)
        #expect(path.names == ["lo"])
        #expect(path.supportsIPv4 && path.supportsIPv6)
        try place.ip("link set lo down")
        #expect(try place.path { NWPathMonitor(requiredInterfaceType: .loopback) }.status == .unsatisfied)
    }

    @Test("is told of changes that those without it never see")
    func secondary() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.wayOut("wlan0", number: 2, metric: 600, type: "wlan")
        let recorder = PathRecorder()
        let monitor = place.monitor { NWPathMonitor(requiredInterfaceType: .wiredEthernet) }
        place.start(monitor, recorder)
        try recorder.next()
        let wifi = PathRecorder()
        let other = place.monitor { NWPathMonitor(requiredInterfaceType: .wifi) }
        place.start(other, wifi)
        try wifi.next()
        try place.ip("link set wlan0-peer down")
        #expect(try wifi.next().status == .unsatisfied)
        try recorder.queue.finish()
        #expect(recorder.untaken == 0)
        monitor.cancel()
        other.cancel()
    }
}

@Suite("A tunnel that takes everything", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs, .tun))
struct TunnelTests {
    /// The two ways in which VPNs take all packets: halves that beat any default route (OpenVPN's redirect-gateway),
    /// and a rule for all packets but the tunnel's own (wg-quick).
    @Test(
        "is what packets leave by, with the wire below it",
        arguments: [
            "route add 0.0.0.0/1 dev tun0\nroute add 128.0.0.0/1 dev tun0",
            "route add default dev tun0 table 51820\nrule add priority 100 not fwmark 51820 table 51820",
        ])
    func full(commands: String) throws {
        let place = try Surroundings()
        try place.wayOut("wlan0", number: 1, metric: 600, type: "wlan")
        let recorder = PathRecorder()
        let monitor = place.monitor()
        place.start(monitor, recorder)
        #expect(try recorder.next().names == ["wlan0"])
        let device = try place.topology.tun("tun0", address: "10.8.0.2/24")
        try place.ip(commands)
        let path = try recorder.next { $0.names.first == "tun0" }
        #expect(path.names == ["tun0", "wlan0"])
        #expect(path.types == [.other, .wifi])
        #expect(path.usesInterfaceType(.other) && path.usesInterfaceType(.wifi))
        #expect(try place.path { NWPathMonitor(prohibitedInterfaceTypes: [.other]) }.names == ["wlan0"])
        device.close()
        #expect(try recorder.next { $0.names == ["wlan0"] }.usesInterfaceType(.other) == false)
        monitor.cancel()
    }

    @Test("leads out also without an address of its own")
    func unnumbered() throws {
        let place = try Surroundings()
        let device = try place.topology.tun("ppp0", .ppp)
        try place.ip("route add default dev ppp0")
        #expect(try place.path().status == .unsatisfied, "there is no address to send from")
        // An unnumbered link borrows another's.
        try place.ip("address add 192.0.2.9/32 dev lo")
        let path = try place.path()
        #expect(path.status == .satisfied)
        #expect(path.names == ["ppp0"])
        #expect(path.types == [.other])
        #expect(path.gateways == [])
        device.close()
    }
}
