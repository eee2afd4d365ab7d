// SPDX-License-Identifier: Apache-2.0

/// What the kernel says of one link (RTM_GETLINK), and of its device (uevent).
package struct LinkFacts: Hashable, Sendable {
    package var index: InterfaceIndex
    package var name: String
    /// ARPHRD_… (linux/if_arp.h).
    package var hardwareType: UInt16
    /// IFF_… (linux/if.h).
    package var flags: Flags
    /// IFLA_OPERSTATE (RFC 2863, linux/if.h).
    package var operationalState: OperationalState
    /// IFLA_INFO_KIND, such as "wireguard"; nil for links without one.
    package var kind: String?
    /// DEVTYPE of the device's uevent, such as "wwan"; nil where there is none or /sys cannot be read.
    package var deviceType: String?
    /// The bridge, bond or VRF this link is a port of.
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

    /// The flags of an interface that decide anything here.
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
    /// A mobile network's link.
    ///
    /// `DEVTYPE=wwan` is what drivers of modems set (SET_NETDEV_DEVTYPE in drivers/net/wwan and cdc_ether), `wwan` and
    /// `rmnet` are the kinds of links stacked on one, and ARPHRD_RAWIP is used by nothing else. A phone tethered by USB
    /// or Wi-Fi, or PPP over a serial modem, cannot be told from a cable.
    package var isCellular: Bool {
        deviceType == "wwan" || kind == "wwan" || kind == "rmnet" || hardwareType == 519
    }

    /// A link with one peer and no neighbours: PPP, a layer-3 tunnel.
    ///
    /// IFF_POINTOPOINT says it for most; some tunnels lack the flag (xfrm, measured), and are known by type or kind. A
    /// layer-2 tunnel (tap, gretap, vxlan) has Ethernet's type and none of these kinds.
    package var isPointToPoint: Bool {
        flags.contains(.pointToPoint) || Self.pointToPointTypes.contains(hardwareType)
            || kind.map(Self.pointToPointKinds.contains) ?? false
    }

    private static let pointToPointTypes: Set<UInt16> = [
        256, 257, 258, 259, 260,  // SLIP and its variants
        512,  // PPP
        519,  // raw IP
        768, 769,  // IPIP, IP6 tunnel
        776,  // sit
        778, 823,  // GRE over IPv4, over IPv6
        65534,  // ARPHRD_NONE: tun, wireguard, xfrm
    ]

    private static let pointToPointKinds: Set<String> = [
        "ppp", "wireguard", "ipip", "sit", "gre", "ip6gre", "ip6tnl", "vti", "vti6", "xfrm",
    ]

    /// Ethernet, or Wi-Fi, which the kernel shows as Ethernet: a link on which 169.254/16 neighbours are on-link.
    package var isEthernetLike: Bool { hardwareType == 1 && !isCellular && !isPointToPoint }

    package var isLoopback: Bool { flags.contains(.loopback) }
}

/// What a verdict needs to know of a link: worked out once, when its facts are learned, and free of any text, since it is
/// looked at and copied at every question.
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
        /// Up, but waiting for an external event, such as a dial or a login (RFC 2863 3.1.14).
        case dormant
        /// Administratively down: IFF_UP is clear.
        case disabled
        /// Up without a usable lower layer: no carrier, or the state given.
        case broken(LinkFacts.OperationalState)
    }
}

extension LinkFacts {
    package var state: LinkState { LinkState(self) }

    package var readiness: LinkState.Readiness {
        guard flags.contains(.up) else { return .disabled }
        switch operationalState {
        case .up, .unknown, .dormant:
            // The state follows the carrier up to a second late (net/core/link_watch.c), and user space may set it
            // meanwhile: seen on 6.1 of a bond that just came up, and of a station that wpa_supplicant made dormant
            // or "up" when it had left its network.
            guard flags.contains(.lowerUp) else { return .broken(.down) }
            // A driver that does not keep the state leaves it unknown.
            return operationalState == .dormant ? .dormant : .ready
        case .down, .lowerLayerDown, .notPresent, .testing:
            return .broken(operationalState)
        }
    }
}
