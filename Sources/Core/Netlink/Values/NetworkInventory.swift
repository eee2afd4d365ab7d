// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// All links and all addresses of a network namespace, as the kernel lists them.
package struct NetworkInventory: Hashable, Sendable {
    package var links: [Link]
    package var addresses: [Address]

    package init(links: [Link] = [], addresses: [Address] = []) {
        self.links = links
        self.addresses = addresses
    }

    /// A link, its hardware address, and the sizes of its packets.
    package struct Link: Hashable, Sendable {
        package var facts: LinkFacts
        /// IFLA_ADDRESS; empty if the link has none.
        package var hardwareAddress: [UInt8]
        package var packetSizes: PacketSizes?

        package init(_ facts: LinkFacts, hardwareAddress: [UInt8] = [], packetSizes: PacketSizes? = nil) {
            self.facts = facts
            self.hardwareAddress = hardwareAddress
            self.packetSizes = packetSizes
        }
    }

    /// The largest packet that a link carries (IFLA_MTU), and the limits within which that may be set; nil where the driver
    /// names none (IFLA_MIN_MTU and IFLA_MAX_MTU, linux/if_link.h).
    package struct PacketSizes: Hashable, Sendable {
        package var largest: UInt32
        package var leastSetting: UInt32?
        package var greatestSetting: UInt32?
    }

    /// An address of an interface, and what belongs to it.
    package struct Address: Hashable, Sendable {
        package var address: InterfaceAddress
        /// The broadcast address of the link's prefix (IFA_BROADCAST). Only IPv4 has one.
        package var broadcast: IPAddress?
        /// The address of the other end of a point-to-point link (IFA_ADDRESS beside IFA_LOCAL).
        package var peer: IPAddress?

        package init(_ address: InterfaceAddress, broadcast: IPAddress? = nil, peer: IPAddress? = nil) {
            self.address = address
            self.broadcast = broadcast
            self.peer = peer
        }
    }

    /// The name of the link with this index; nil if there is none.
    package func name(of index: InterfaceIndex) -> String? {
        links.first { $0.facts.index == index }?.facts.name
    }

    /// The name of the link that a scope means; nil if there is none.
    package func name(of scope: Scope) -> String? {
        switch scope {
        case .index(let index): name(of: index)
        case .name(let name): links.first { $0.facts.name == name.description }?.facts.name
        }
    }
}

/// An address of an interface (RTM_NEWADDR, rtnetlink(7)).
package struct InterfaceAddress: Hashable, Sendable {
    package var interface: InterfaceIndex
    package var address: IPAddress
    /// The length of the link's prefix; nil if it is unknown.
    package var prefixLength: UInt8?
    /// RT_SCOPE_… of linux/rtnetlink.h: 0 is global, 253 the link, 254 this host.
    package var scope: UInt8
    /// IFA_F_… of linux/if_addr.h.
    package var flags: Flags

    package init(
        interface: InterfaceIndex, address: IPAddress, prefixLength: UInt8?, scope: UInt8 = 0, flags: Flags = []
    ) {
        self.interface = interface
        self.address = address
        self.prefixLength = prefixLength
        self.scope = scope
        self.flags = flags
    }

    /// The address flags that matter here.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The address may be used although it is tentative (RFC 4429).
        package static let optimistic = Flags(rawValue: 0x04)
        /// Another host on the link has the address.
        package static let duplicate = Flags(rawValue: 0x08)
        /// Duplicate address detection has not finished.
        package static let tentative = Flags(rawValue: 0x40)
    }

    /// Whether packets can be sent from the address.
    package var isUsable: Bool {
        if flags.contains(.duplicate) { return false }
        return !flags.contains(.tentative) || flags.contains(.optimistic)
    }

    /// Whether hosts behind a router can answer to the address.
    package var reachesBeyondLink: Bool {
        switch address {
        case .v4(let address): scope < 253 && !address.isLinkLocal && !address.isLoopback
        case .v6(let address, _): scope < 253 && !address.isLinkLocal && !address.isLoopback
        }
    }
}

extension InterfaceAddress: CustomStringConvertible {
    /// Omits the prefix length if it is unknown.
    package var description: String { prefixLength.map { "\(address)/\($0)" } ?? "\(address)" }
}
