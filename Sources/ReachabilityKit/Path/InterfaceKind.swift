// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// What an interface is to somebody who uses it: Apple's five types (`NWInterface.InterfaceType`).
package enum InterfaceKind: String, Hashable, Sendable, CaseIterable {
    case other, wifi, cellular, wiredEthernet, loopback
}

extension LinkFacts {
    /// The kind, as far as the kernel tells it.
    ///
    /// Wi-Fi is known by its uevent alone: to the kernel's routing it is Ethernet. A phone that shares its connection
    /// over USB or Wi-Fi is whatever the cable or the radio is.
    package var interfaceKind: InterfaceKind {
        if isLoopback { return .loopback }
        if isCellular { return .cellular }
        if deviceType == "wlan" { return .wifi }
        // A container's eth0 (veth), a bridge, a bond or a VLAN with the machine's address are its wire to the world.
        return hardwareType == 1 && !isTunnel && kind.map(Self.kindsWithoutWire.contains) != true
            ? .wiredEthernet : .other
    }

    /// Whether packets leave wrapped into others, by another interface.
    package var isTunnel: Bool {
        if isCellular { return false }
        return isPointToPoint || kind.map(Self.layer2Tunnels.contains) == true
    }

    /// Tunnels that look like Ethernet (IFLA_INFO_KIND; `tun` is also a tap device's).
    private static let layer2Tunnels: Set<String> = [
        "tun", "gretap", "ip6gretap", "erspan", "vxlan", "geneve", "bareudp",
    ]
    /// Devices of Ethernet's type that nothing is connected to.
    private static let kindsWithoutWire: Set<String> = ["dummy", "ifb"]
}
