// SPDX-License-Identifier: Apache-2.0

/// An address that an interface has (RTM_NEWADDR, rtnetlink(7)).
package struct InterfaceAddress: Hashable, Sendable {
    package var interface: InterfaceIndex
    package var address: IPAddress
    /// How many of its bits are the link's; nil where that cannot be known.
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

    /// The flags of an address that decide anything here.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// May be used although it is still tentative (RFC 4429).
        package static let optimistic = Flags(rawValue: 0x04)
        /// Somebody else on the link has it.
        package static let duplicate = Flags(rawValue: 0x08)
        /// Not to be used for new connections where there is another (RFC 4862 5.5.4).
        package static let deprecated = Flags(rawValue: 0x20)
        /// Not yet known to be nobody else's.
        package static let tentative = Flags(rawValue: 0x40)
    }

    /// Whether packets can be sent from it.
    package var isUsable: Bool {
        if flags.contains(.duplicate) { return false }
        return !flags.contains(.tentative) || flags.contains(.optimistic)
    }

    /// Whether packets sent from it can come back from behind a router.
    package var reachesBeyondLink: Bool {
        switch address {
        case .v4(let address): scope < 253 && !address.isLinkLocal && !address.isLoopback
        case .v6(let address, _): scope < 253 && !address.isLinkLocal && !address.isLoopback
        }
    }
}

extension InterfaceAddress: CustomStringConvertible {
    /// The prefix is left out where it is not known.
    package var description: String { prefixLength.map { "\(address)/\($0)" } ?? "\(address)" }
}
