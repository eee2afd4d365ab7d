// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Facts about a link (RTM_GETLINK) and its device (uevent).
package struct LinkFacts: Hashable, Sendable {
    package var index: InterfaceIndex
    package var name: String
    /// ARPHRD_… (linux/if_arp.h).
    package var hardwareType: UInt16
    /// IFF_… (linux/if.h).
    package var flags: Flags
    /// IFLA_OPERSTATE (RFC 2863, linux/if.h).
    package var operationalState: OperationalState
    /// IFLA_INFO_KIND, such as "wireguard"; nil if the link has none.
    package var kind: String?
    /// DEVTYPE of the device's uevent, such as "wwan"; nil if there is none or /sys cannot be read.
    package var deviceType: String?
    /// The bridge, bond or VRF of which this link is a port.
    package var master: InterfaceIndex?

    package init(
        index: InterfaceIndex, name: String, hardwareType: UInt16 = 1, flags: Flags = [.up, .running, .lowerUp],
        operationalState: OperationalState = .up, kind: String? = nil, deviceType: String? = nil,
        master: InterfaceIndex? = nil
    ) {
        self.index = index
        self.name = name
        self.hardwareType = hardwareType
        self.flags = flags
        self.operationalState = operationalState
        self.kind = kind
        self.deviceType = deviceType
        self.master = master
    }

    /// The interface flags that matter here.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let up = Flags(rawValue: 0x1)
        package static let broadcast = Flags(rawValue: 0x2)
        package static let loopback = Flags(rawValue: 0x8)
        package static let pointToPoint = Flags(rawValue: 0x10)
        package static let running = Flags(rawValue: 0x40)
        package static let lowerUp = Flags(rawValue: 0x10000)
        package static let dormant = Flags(rawValue: 0x20000)
    }

    /// IF_OPER_… of linux/if.h; the numbers are those of RFC 2863's ifOperStatus less one.
    package enum OperationalState: UInt8, Hashable, Sendable, CaseIterable {
        case unknown = 0, notPresent, down, lowerLayerDown, testing, dormant, up
    }
}

// MARK: - Classes of links

extension LinkFacts {
    /// Whether this is a link of a mobile network.
    ///
    /// Drivers of modems set `DEVTYPE=wwan` (SET_NETDEV_DEVTYPE in drivers/net/wwan and cdc_ether). Links stacked on a modem
    /// have the kind `wwan` or `rmnet`. Nothing else uses ARPHRD_RAWIP. A phone tethered by USB or Wi-Fi looks like a cable,
    /// and so does PPP over a serial modem.
    package var isCellular: Bool {
        deviceType == "wwan" || kind == "wwan" || kind == "rmnet" || hardwareType == 519
    }

    /// Whether the link has one peer and no neighbours: PPP, a layer-3 tunnel.
    ///
    /// Most such links have IFF_POINTOPOINT. Some tunnels lack the flag (xfrm, measured) and are known by type or kind. A
    /// layer-2 tunnel (tap, gretap, vxlan) has Ethernet's type and none of these kinds.
    package var isPointToPoint: Bool {
        flags.contains(.pointToPoint) || hasPointToPointType || hasPointToPointKind
    }

    private var hasPointToPointType: Bool {
        switch hardwareType {
        case 256, 257, 258, 259, 260: true  // SLIP and its variants
        case 512: true  // PPP
        case 519: true  // raw IP
        case 768, 769: true  // IPIP, IP6 tunnel
        case 776: true  // sit
        case 778, 823: true  // GRE over IPv4, over IPv6
        case 65534: true  // ARPHRD_NONE: tun, wireguard, xfrm
        default: false
        }
    }

    private var hasPointToPointKind: Bool {
        switch kind {
        case "ppp", "wireguard", "ipip", "sit", "gre", "ip6gre", "ip6tnl", "vti", "vti6", "xfrm": true
        default: false
        }
    }

    /// Whether this is Ethernet, or Wi-Fi, which the kernel shows as Ethernet. There 169.254/16 is on-link.
    package var isEthernetLike: Bool { hardwareType == 1 && !isCellular && !isPointToPoint }

    package var isLoopback: Bool { flags.contains(.loopback) }
}

/// The facts about a link that a verdict needs. Computed once, when the facts are learned. Has no text, because each
/// question copies it.
package struct LinkState: Hashable, Sendable {
    package let index: InterfaceIndex
    package let master: InterfaceIndex?
    package let readiness: Readiness
    package let isLoopback: Bool
    package let isCellular: Bool
    package let isPointToPoint: Bool
    package let isEthernetLike: Bool

    package init(_ facts: LinkFacts) {
        index = facts.index
        master = facts.master
        readiness = facts.readiness
        isLoopback = facts.isLoopback
        isCellular = facts.isCellular
        isPointToPoint = facts.isPointToPoint
        isEthernetLike = facts.isEthernetLike
    }

    /// Whether packets can leave by this link.
    package enum Readiness: Hashable, Sendable {
        case ready
        /// Up, but waiting for an external event such as dialling or a login (RFC 2863 3.1.14).
        case dormant
        /// Administratively down: IFF_UP is clear.
        case disabled
        /// Up without a usable lower layer, as the state says.
        case broken(LinkFacts.OperationalState)
    }
}

extension LinkFacts {
    package var state: LinkState { LinkState(self) }

    /// Follows the operational state alone, never IFF_LOWER_UP.
    ///
    /// The kernel clears IFF_LOWER_UP as soon as a driver reports that the carrier is gone. It changes the operational state
    /// later, by up to a second (net/core/link_watch.c): at that moment it also marks routes as dead and announces the link.
    /// Since Linux 6.8 a request for the link makes it do so at once. Before, a request in between shows a carrier that has
    /// gone, and no announcement has told of it. Only the announced state is the same for every question, kept or asked
    /// again, and in every process.
    package var readiness: LinkState.Readiness {
        guard flags.contains(.up) else { return .disabled }
        return switch operationalState {
        // A driver that does not maintain the state leaves it unknown.
        case .up, .unknown: .ready
        case .dormant: .dormant
        case .down, .lowerLayerDown, .notPresent, .testing: .broken(operationalState)
        }
    }
}

extension LinkFacts {
    /// Whether packets are wrapped into others, which leave by another interface.
    package var isTunnel: Bool {
        if isCellular { return false }
        return isPointToPoint || kind.map(Self.layer2Tunnels.contains) == true
    }

    /// Tunnels that look like Ethernet (IFLA_INFO_KIND; `tun` is also a tap device's).
    private static let layer2Tunnels: Set<String> = [
        "tun", "gretap", "ip6gretap", "erspan", "vxlan", "geneve", "bareudp",
    ]
}
