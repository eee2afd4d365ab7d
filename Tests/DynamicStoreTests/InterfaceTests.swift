// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@testable import SystemConfigurationCore

@Suite("A listed interface")
struct InterfaceTests {
    private static func interface(_ facts: LinkFacts, _ address: [UInt8] = []) -> ListedInterface? {
        ListedInterface(NetworkInventory.Link(facts, hardwareAddress: address))
    }

    private static let index = InterfaceIndex(7)!

    @Test(
        "has Apple's type, or is not listed",
        arguments: [
            (LinkFacts(index: index, name: "eth0"), "Ethernet"),
            (LinkFacts(index: index, name: "br0", kind: "bridge"), "Ethernet"),
            (LinkFacts(index: index, name: "wlan0", deviceType: "wlan"), "IEEE80211"),
            (LinkFacts(index: index, name: "wwan0", deviceType: "wwan"), "WWAN"),
            (LinkFacts(index: index, name: "bnep0", deviceType: "bluetooth"), "Bluetooth"),
            (LinkFacts(index: index, name: "bond0", kind: "bond"), "Bond"),
            (LinkFacts(index: index, name: "eth0.5", kind: "vlan"), "VLAN"),
            (LinkFacts(index: index, name: "ppp0", hardwareType: 512, kind: "ppp"), "PPP"),
            (LinkFacts(index: index, name: "lo", hardwareType: 772, flags: [.up, .loopback]), nil),
            (LinkFacts(index: index, name: "tun0", hardwareType: 65534, kind: "tun"), nil),
            (LinkFacts(index: index, name: "wg0", hardwareType: 65534, kind: "wireguard"), nil),
            (LinkFacts(index: index, name: "dummy0", kind: "dummy"), nil),
        ] as [(LinkFacts, String?)])
    func types(_ facts: LinkFacts, _ type: String?) {
        #expect(Self.interface(facts)?.type == type)
    }

    @Test("has a hardware address in digits, if it has one")
    func addresses() {
        let facts = LinkFacts(index: Self.index, name: "eth0")
        #expect(Self.interface(facts, [2, 0, 0xAB, 0, 0, 0x10])?.hardwareAddress == "02:00:ab:00:00:10")
        #expect(Self.interface(facts, [0, 0, 0, 0, 0, 0])?.hardwareAddress == nil)
        #expect(Self.interface(facts, [192, 0, 2, 1])?.hardwareAddress == nil)
        #expect(Self.interface(facts)?.displayName == "Ethernet (eth0)")
    }
}
