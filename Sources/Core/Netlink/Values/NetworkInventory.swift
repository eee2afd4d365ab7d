// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

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

        package init(largest: UInt32, leastSetting: UInt32? = nil, greatestSetting: UInt32? = nil) {
            self.largest = largest
            self.leastSetting = leastSetting
            self.greatestSetting = greatestSetting
        }
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
}
