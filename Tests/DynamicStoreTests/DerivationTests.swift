// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Testing

@testable import SystemConfigurationCore

@Suite("The system's values")
struct DerivationTests {
    private static let loopback = InterfaceIndex(1)!
    private static let wire = InterfaceIndex(2)!
    private static let tunnel = InterfaceIndex(3)!

    private static func address(
        _ interface: InterfaceIndex, _ address: IPAddress, _ length: UInt8, broadcast: IPAddress? = nil,
        peer: IPAddress? = nil, flags: UInt32 = 0
    ) -> NetworkInventory.Address {
        NetworkInventory.Address(
            InterfaceAddress(
                interface: interface, address: address, prefixLength: length, flags: .init(rawValue: flags)),
            broadcast: broadcast, peer: peer)
    }

    private static func v6(_ high: UInt64, _ low: UInt64, scope: InterfaceIndex? = nil) -> IPAddress {
        .v6(IPv6Address(high: high, low: low), scope: scope.map(Scope.index))
    }

    /// A machine with a cable, and a tunnel that is down.
    private static let state: NetworkState = {
        var path = NetworkPath()
        path.ipv4 = NetworkPath.DefaultRoute(
            interface: wire, flags: .reachable, gateway: .v4(IPv4Address(192, 0, 2, 254)))
        path.ipv6 = NetworkPath.DefaultRoute(
            interface: wire, flags: .reachable, gateway: v6(0xFE80 << 48, 1, scope: wire))
        path.servers = [
            ServerAddress(.v4(IPv4Address(192, 0, 2, 53))), ServerAddress(v6(0xFE80 << 48, 0x35, scope: wire)),
        ]
        return NetworkState(
            path: path,
            inventory: NetworkInventory(
                links: [
                    .init(LinkFacts(index: tunnel, name: "tun0", flags: [.pointToPoint], kind: "tun")),
                    .init(LinkFacts(index: wire, name: "eth0")),
                    .init(LinkFacts(index: loopback, name: "lo", flags: [.up, .loopback], operationalState: .unknown)),
                ],
                addresses: [
                    address(loopback, .v4(IPv4Address(127, 0, 0, 1)), 8),
                    address(
                        wire, .v4(IPv4Address(192, 0, 2, 7)), 24, broadcast: .v4(IPv4Address(192, 0, 2, 255)),
                        flags: 0x80),
                    address(wire, v6(0x2001_0DB8 << 32, 7), 64, flags: 0x101),
                    address(wire, v6(0xFE80 << 48, 7, scope: wire), 64, flags: 0x80),
                    address(tunnel, .v4(IPv4Address(10, 8, 0, 2)), 32, peer: .v4(IPv4Address(10, 8, 0, 1))),
                ]),
            searchDomains: ["example.com", "example.org"])
    }()

    private static var values: [String: PropertyValue] { StoreSnapshot(network: state).values }
    private static let service = ServiceIdentifier(interface: "eth0").description

    @Test("name the primary interface, service and router")
    func global() {
        #expect(
            Self.values["State:/Network/Global/IPv4"] == [
                "PrimaryInterface": "eth0", "PrimaryService": .string(Self.service), "Router": "192.0.2.254",
            ])
        #expect(
            Self.values["State:/Network/Global/IPv6"] == [
                "PrimaryInterface": "eth0", "PrimaryService": .string(Self.service), "Router": "fe80::1%eth0",
            ])
    }

    @Test("list servers and domains")
    func names() {
        let expected: PropertyValue = [
            "ServerAddresses": ["192.0.2.53", "fe80::35%eth0"], "SearchDomains": ["example.com", "example.org"],
            "DomainName": "example.com",
        ]
        #expect(Self.values["State:/Network/Global/DNS"] == expected)
        #expect(Self.values["State:/Network/Service/\(Self.service)/DNS"] == expected)
    }

    @Test("list interfaces in the order of their numbers")
    func interfaces() {
        #expect(Self.values["State:/Network/Interface"] == ["Interfaces": ["lo", "eth0", "tun0"]])
    }

    @Test("say which links are active, and nothing of loopback")
    func links() {
        #expect(Self.values["State:/Network/Interface/eth0/Link"] == ["Active": true])
        #expect(Self.values["State:/Network/Interface/tun0/Link"] == ["Active": false])
        #expect(Self.values["State:/Network/Interface/lo/Link"] == nil)
    }

    @Test("list addresses, with masks or peers")
    func addresses() {
        #expect(
            Self.values["State:/Network/Interface/lo/IPv4"] == [
                "Addresses": ["127.0.0.1"], "SubnetMasks": ["255.0.0.0"],
            ])
        #expect(
            Self.values["State:/Network/Interface/eth0/IPv4"] == [
                "Addresses": ["192.0.2.7"], "SubnetMasks": ["255.255.255.0"], "BroadcastAddresses": ["192.0.2.255"],
            ])
        #expect(
            Self.values["State:/Network/Interface/tun0/IPv4"] == [
                "Addresses": ["10.8.0.2"], "DestAddresses": ["10.8.0.1"],
            ])
        #expect(
            Self.values["State:/Network/Interface/eth0/IPv6"] == [
                "Addresses": ["2001:db8::7", "fe80::7"], "PrefixLength": [64, 64], "Flags": [0xC0, 0],
            ])
        #expect(Self.values["State:/Network/Interface/tun0/IPv6"] == nil)
    }

    @Test("describe the primary service")
    func services() {
        #expect(
            Self.values["State:/Network/Service/\(Self.service)/IPv4"] == [
                "Addresses": ["192.0.2.7"], "SubnetMasks": ["255.255.255.0"], "BroadcastAddresses": ["192.0.2.255"],
                "InterfaceName": "eth0", "Router": "192.0.2.254",
            ])
    }

    @Test("are absent where Linux does not tell")
    func absent() {
        #expect(StoreSnapshot().values == ["State:/Network/Interface": ["Interfaces": []]])
        var routed = Self.state
        routed.path.ipv4?.gateway = nil
        routed.path.ipv6 = nil
        routed.searchDomains = []
        let values = StoreSnapshot(network: routed).values
        #expect(
            values["State:/Network/Global/IPv4"] == [
                "PrimaryInterface": "eth0", "PrimaryService": .string(Self.service),
            ])
        #expect(values["State:/Network/Global/IPv6"] == nil)
        #expect(values["State:/Network/Global/DNS"] == ["ServerAddresses": ["192.0.2.53", "fe80::35%eth0"]])
    }

    @Test("have a service for each interface, always the same one")
    func identifiers() {
        // Stored values: a client may keep identifiers across versions of this package.
        #expect(Self.service == "69516F0E-9675-8277-B806-E96CFFEB411C")
        #expect(
            Self.service.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
        let all = Set((0..<1000).map { ServiceIdentifier(interface: "eth\($0)").description })
        #expect(all.count == 1000)
    }

    @Test("name the machine and its user")
    func machine() {
        let names = MachineNames(kernel: "host.example.com", pretty: "My Computer", configured: "host.example.com")
        let user = ConsoleUser(name: "ada", userID: 1000, groupID: 1001)
        let values = StoreSnapshot(names: names, consoleUser: user).values
        #expect(
            values["Setup:/System"] == [
                "ComputerName": "My Computer", "ComputerNameEncoding": 134_217_984, "HostName": "host.example.com",
            ])
        #expect(values["Setup:/Network/HostNames"] == ["LocalHostName": "host"])
        #expect(values["State:/Users/ConsoleUser"] == ["Name": "ada", "UID": 1000, "GID": 1001])
        let bare = StoreSnapshot(names: MachineNames(kernel: "host"), consoleUser: ConsoleUser(name: "a", userID: 1))
            .values
        #expect(bare["Setup:/System"] == ["ComputerName": "host", "ComputerNameEncoding": 134_217_984])
        #expect(bare["State:/Users/ConsoleUser"] == ["Name": "a", "UID": 1])
    }
}
