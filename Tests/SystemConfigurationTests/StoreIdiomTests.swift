// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LegacyIdioms5
import LegacyIdioms6
import ReachabilityLinuxSystem
import SystemConfiguration
import TestTopology
import Testing

/// Runs the fixtures' client code for the dynamic store, which is compiled in two language modes.
@Suite("Client code of the store", .timeLimit(.minutes(10)), .needs(.namespaces, .tun, .settings))
struct StoreIdiomTests {
    private let topology: Machine

    init() throws {
        topology = try Machine.wired()
    }

    @Test("follows the primary interface")
    func primaryInterface() throws {
        let told = ReceivedValues<String>()
        let monitor = try #require(
            topology.run {
                LegacyIdioms5.PrimaryInterfaceMonitor(queue: told.queue) { told.record("\($0 ?? "-") \($1 ?? "-")") }
            })
        #expect(monitor.current.interface == nil)
        try topology.ip("route add default via 10.0.0.254")
        #expect(try told.next() == "eth0 10.0.0.254")
        #expect(monitor.current.router == "10.0.0.254")
        topology.run {
            let key = "State:/Network/Global/IPv4" as CFString
            let name = SCDynamicStoreCopyValue(nil, key)?["PrimaryInterface"] as? String
            #expect(name == "eth0")
        }
        let found = topology.run { LegacyIdioms6.PrimaryInterfaceMonitor.unconverted }
        #expect(found.interface == "eth0" && found.keys.contains("Router"))
        try topology.ip("route del default")
        #expect(topology.run { LegacyIdioms5.PrimaryInterfaceMonitor.unconverted }.interface == nil)
        #expect(try told.next() == "- -")
        monitor.stop()
        try topology.ip("route add default via 10.0.0.254")
        let second = try #require(
            topology.run {
                LegacyIdioms6.PrimaryInterfaceMonitor(queue: told.queue) { told.record("\($0 ?? "-") \($1 ?? "-")") }
            })
        try topology.ip("route replace default via 10.0.0.253")
        #expect(try told.next() == "eth0 10.0.0.253")
        second.stop()
        try told.finishDeliveries()
        #expect(told.untaken == 0)
    }

    @Test("watches for tunnels on a run loop")
    func tunnels() throws {
        // On the topology's thread, whose run loop runs after the change.
        let watcher = LegacyIdioms5.VPNWatcher()
        #expect(topology.run { watcher.start("tunnels") })
        #expect(watcher.tunnels == [])
        let tunnel = try topology.startTunnel()
        topology.run { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, Double(WaitLimit.seconds), false) }
        #expect(watcher.changes == [["State:/Network/Interface/tun0/IPv4"]])
        #expect(watcher.tunnels == ["tun0"])
        topology.run { watcher.stop() }
        withExtendedLifetime(tunnel) {}
    }

    @Test("reads names")
    func names() throws {
        try topology.run {
            let (name, encoding) = try #require(LegacyIdioms5.HostNameReader.computerName())
            #expect(!name.isEmpty)
            #expect(encoding == 0x0800_0100)
            let label = HostIdentity.name.split(separator: ".").first.map(String.init) ?? ""
            #expect(LegacyIdioms6.HostNameReader.localHostName() == "\(label).local")
            _ = LegacyIdioms6.HostNameReader.nameServers()
        }
    }

    @Test("reads proxies of the environment")
    func proxies() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
                unsetenv(name)
            }
            #expect(LegacyIdioms5.ProxyReader.httpProxy() == nil)
            #expect(SCDynamicStoreCopyProxies(nil) == [:])
            setenv("http_proxy", "http://proxy.example:3128", 1)
            setenv("NO_PROXY", "localhost", 1)
            #expect(LegacyIdioms5.ProxyReader.httpProxy()?.host == "proxy.example")
            #expect(LegacyIdioms6.ProxyReader.httpProxy()?.port == 3128)
            #expect(LegacyIdioms6.ProxyReader.exceptions() == ["localhost", "*.localhost"])
        }
    }

    @Test("gets Apple's statuses")
    func refusals() {
        let expected = [
            kSCStatusAccessError, kSCStatusAccessError, kSCStatusNoKey, kSCStatusFailed, kSCStatusInvalidArgument,
            kSCStatusInvalidArgument, kSCStatusInvalidArgument, kSCStatusNoKey,
        ]
        #expect(topology.run { LegacyIdioms5.StoreRefusals.statuses().map(Int.init) } == expected)
        #expect(topology.run { LegacyIdioms6.StoreRefusals.statuses().map(Int.init) } == expected)
    }
}

extension Machine {
    /// A tunnel tun0 with the address 10.8.0.2.
    func startTunnel() throws -> TunDevice {
        let tunnel = try tun("tun0", .tunnel)
        try ip("link set tun0 up\naddress add 10.8.0.2 peer 10.8.0.1 dev tun0")
        return tunnel
    }
}
