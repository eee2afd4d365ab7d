// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// Apple's five types of interface (`NWInterface.InterfaceType`).
package enum InterfaceKind: String, Hashable, Sendable, CaseIterable {
    case other, wifi, cellular, wiredEthernet, loopback
}

extension LinkFacts {
    /// The kind, as far as the kernel knows it.
    ///
    /// Wi-Fi is recognised only by its uevent, because its link type is Ethernet. A phone that shares its connection over
    /// USB or Wi-Fi counts as Ethernet or Wi-Fi.
    package var interfaceKind: InterfaceKind {
        if isLoopback { return .loopback }
        if isCellular { return .cellular }
        if deviceType == "wlan" { return .wifi }
        // Also a container's eth0 (veth), and a bridge, bond or VLAN that has the machine's address.
        return hardwareType == 1 && !isTunnel && kind.map(Self.kindsWithoutWire.contains) != true
            ? .wiredEthernet : .other
    }

    /// Whether packets are wrapped into others, which leave by another interface.
    package var isTunnel: Bool {
        if isCellular { return false }
        return isPointToPoint || kind.map(Self.layer2Tunnels.contains) == true
    }

    /// Tunnels that look like Ethernet (IFLA_INFO_KIND; `tun` is also a tap device's).
    private static let layer2Tunnels: Set<String> = [
        "tun", "gretap", "ip6gretap", "erspan", "vxlan", "geneve", "bareudp",
    ]
    /// Devices of type Ethernet that are connected to nothing.
    private static let kindsWithoutWire: Set<String> = ["dummy", "ifb"]
}
