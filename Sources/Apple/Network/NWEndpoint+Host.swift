// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension NWEndpoint {
    /// A host: a name or an address.
    public enum Host: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByStringLiteral {
        /// A name, and the interface to reach it by.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(IPv4Address)
        /// An IPv6 address.
        case ipv6(IPv6Address)

        /// Reads an address, or else takes the text as a name.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        /// Reads an address, or else takes the text as a name. Either may be followed by `%` and the name of an
        /// interface.
        public init(_ string: String) {
            if let address = IPv4Address(string) {
                self = .ipv4(address)
            } else if let address = IPv6Address(string) {
                self = .ipv6(address)
            } else {
                let (name, interface) = splitZone(string)
                self = interface == nil ? .name(string, nil) : .name(String(name), interface)
            }
        }

        /// The interface named with the host.
        public var interface: NWInterface? {
            switch self {
            case .name(_, let interface): interface
            case .ipv4(let address): address.interface
            case .ipv6(let address): address.interface
            }
        }

        /// The name or the address as text.
        public var debugDescription: String {
            switch self {
            case .name(let name, let interface): name + interface.zone
            case .ipv4(let address): address.debugDescription
            case .ipv6(let address): address.debugDescription
            }
        }
    }
}

extension NWEndpoint.Host {
    init(_ address: LinuxSystem.IPAddress, on interface: NWInterface) {
        switch address {
        case .v4(let address): self = .ipv4(IPv4Address(address))
        // A link-local address is valid on its link only.
        case .v6(let address, _): self = .ipv6(IPv6Address(address, address.isLinkLocal ? interface : nil))
        }
    }
}
