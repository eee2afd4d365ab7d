// SPDX-License-Identifier: Apache-2.0

/// All links and all addresses of a network namespace, as the kernel lists them.
package struct NetworkInventory: Hashable, Sendable {
    package var links: [Link]
    package var addresses: [Address]

    package init(links: [Link] = [], addresses: [Address] = []) {
        self.links = links
        self.addresses = addresses
    }

    /// A link, and its hardware address.
    package struct Link: Hashable, Sendable {
        package var facts: LinkFacts
        /// IFLA_ADDRESS; empty if the link has none.
        package var hardwareAddress: [UInt8]

        package init(_ facts: LinkFacts, hardwareAddress: [UInt8] = []) {
            self.facts = facts
            self.hardwareAddress = hardwareAddress
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
