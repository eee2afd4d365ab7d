// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("Keeping the path current", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct CostTests {
    @Test("does not list links or addresses after a change of a route, a rule, a next hop or a setting")
    func routesOnly() throws {
        var changes = PendingChanges()
        for _ in 0..<2 {
            for announcement in [.rules, .nextHops, .configuration] as [Announcement] { changes.add(announcement) }
        }
        #expect(changes.everything && !changes.links)
        var routes = PendingChanges()
        for number in 0..<UInt32(2 * PendingChanges.prefixLimit) {
            routes.add(.route(Prefix(.v4(ReachabilityLinuxSystem.IPv4Address(rawValue: number << 8)), length: 24)))
        }
        #expect(routes.everything && !routes.links)
        var links = PendingChanges()
        links.add(.addresses)
        #expect(links.links)

        let network = try TestNetwork.wired()
        let (dumps, paths) = try network.topology.run { () throws in
            let socket = try RouteClient(NetlinkRequester(), DeviceTypes(), SocketDefaults(in: nil))
            var probe = PathFactsReader(deviceTypes: DeviceTypes())
            var paths = [NetworkPath(try probe.facts(asking: socket, servers: []))]
            try CallingThread.ip("route replace default via 10.0.1.253 metric 100")
            paths.append(NetworkPath(try probe.facts(asking: socket, servers: [])))
            return (probe.listings, paths)
        }
        #expect(dumps == 1)
        #expect(paths.map { $0.ipv4?.gateway?.description } == ["10.0.1.254", "10.0.1.253"])
    }

    @Test("notices each kind of change among many that do not matter")
    func changes() throws {
        let network = try TestNetwork.wired()
        let (monitor, recorder) = network.watch()
        try recorder.next()
        try network.ip(
            (0..<300).map { "route add 198.51.\($0 / 256).\($0 % 256) via 10.0.1.254" }.joined(separator: "\n"))
        try network.ip("rule add priority 100 prohibit")
        try recorder.next { $0.status == .unsatisfied }
        try network.ip("rule del priority 100")
        try recorder.next { $0.status == .satisfied }
        try network.ip("route replace default via 10.0.1.253 metric 100")
        try recorder.next { $0.gateways == [.hostPort(host: "10.0.1.253", port: .any)] }
        try network.ip("link set eth0-peer down")
        try recorder.next { $0.status == .unsatisfied }
        monitor.cancel()
    }

    @Test("costs nothing without a subscriber")
    func unwatched() throws {
        let network = try TestNetwork()
        let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let changes = ReceivedValues<ReachabilityFlags>()
        reference.setCallback { changes.record($0) }
        try network.topology.run { try reference.setDispatchQueue(DispatchQueue(label: "changes")) }
        try network.addUplink("eth0", number: 1, metric: 100)
        #expect(try changes.next() == .reachable)
        #expect(reference.statistics.interfaceListings == 0)
        try reference.setDispatchQueue(nil)
    }

    @Test("reads a device's type again if another link has its number")
    func numberAgain() throws {
        let network = try TestNetwork()
        try network.topology.wire("wlan0", index: 100)
        try network.setDeviceType("wlan", of: "wlan0")
        try network.ip("address add 10.0.1.1/24 dev wlan0")
        let types = try network.topology.run { () throws in
            let socket = try RouteClient(NetlinkRequester(), DeviceTypes(), SocketDefaults(in: nil))
            var probe = PathFactsReader(deviceTypes: DeviceTypes())
            func type() throws -> String? {
                probe.forgetInterfaces()
                let facts = try probe.facts(asking: socket, servers: [])
                return facts.candidates.first { $0.link.index.rawValue == 100 }?.link.deviceType
            }
            let before = try type()
            try CallingThread.ip("link del wlan0")
            try CallingThread.ip("link add eth7 index 100 up type bridge")
            try CallingThread.ip("address add 10.0.1.1/24 dev eth7")
            return [before, try type()]
        }
        #expect(types == ["wlan", "bridge"])
    }

    @Test("lists the kernel's links and addresses")
    func inventory() throws {
        let network = try TestNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try network.ip("address add 10.9.0.1 peer 10.9.0.2 dev eth0")
        let index = try network.topology.index(of: "eth0")
        let (links, addresses) = try network.topology.run {
            let socket = try RouteClient(NetlinkRequester(), DeviceTypes(), SocketDefaults(in: nil))
            let inventory = try socket.inventory()
            return (inventory.links.map(\.facts), inventory.addresses.map(\.address))
        }
        #expect(Set(links.map(\.name)) == ["lo", "eth0", "eth0-peer"])
        #expect(try links.first { $0.index == index } == network.topology.linkFacts("eth0"))
        let own = addresses.filter { $0.interface == index && $0.reachesBeyondLink && $0.isUsable }
        #expect(Set(own.map(\.description)) == ["10.0.0.1/24", "10.9.0.1/32", "2001:db8::1/64"])
        #expect(addresses.filter { $0.address.isLoopback }.allSatisfy { !$0.reachesBeyondLink })
    }

    @Test("refuses a truncated address message")
    func malformed() {
        // AF_INET, /24, interface 2, and an IFA_LOCAL of eight bytes of which two are there.
        let bytes: [UInt8] = [2, 24, 0, 0, 2, 0, 0, 0, 8, 0, 2, 0, 10, 0]
        #expect(throws: WireError.self) { try AddressCodec.read(RawSpan(_elements: bytes.span)) }
        let foreign: [UInt8] = [7, 24, 0, 0, 2, 0, 0, 0]
        #expect((try? AddressCodec.read(RawSpan(_elements: foreign.span))) == .some(nil))
    }
}
