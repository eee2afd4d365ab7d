// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityReferences

/// `State:/Network/Interface` and the keys below it (SCSchemaDefinitions.h, configd-1405).
extension NetworkState {
    var interfaceValues: [String: PropertyValue] {
        let links = inventory.links.map(\.facts).sorted { $0.index < $1.index }
        var values: [String: PropertyValue] = [:]
        values[StoreKey.interfaces(StoreKey.state)] = ["Interfaces": .strings(links.map(\.name))]
        let addresses = Dictionary(grouping: inventory.addresses, by: \.address.interface)
        for link in links {
            func key(_ entity: String) -> String { StoreKey.interface(StoreKey.state, link.name, entity) }
            // Apple's systems have no such key for loopback, which has no carrier.
            if !link.isLoopback { values[key("Link")] = ["Active": .boolean(link.readiness == .ready)] }
            let own = addresses[link.index] ?? []
            for family in AddressFamily.allCases {
                let members = AddressValues(family, own).members
                if !members.isEmpty { values[key(family.entity)] = .dictionary(members) }
            }
        }
        return values
    }
}

extension AddressFamily {
    /// The name of the family in keys.
    var entity: String { self == .v4 ? "IPv4" : "IPv6" }
}

/// The addresses of one family of an interface, in arrays of equal length.
struct AddressValues {
    private let family: AddressFamily
    private let addresses: [NetworkInventory.Address]

    init(_ family: AddressFamily, _ addresses: [NetworkInventory.Address]) {
        self.family = family
        self.addresses = addresses.filter { $0.address.address.family == family }
    }

    /// Empty if there are no addresses. An array that would lack an element is left out: clients read the arrays side by
    /// side.
    var members: [String: PropertyValue] {
        guard !addresses.isEmpty else { return [:] }
        var members: [String: PropertyValue] = [
            "Addresses": .strings(addresses.map(\.address.address.unscoped.description))
        ]
        let peers = addresses.compactMap(\.peer?.unscoped.description)
        if peers.count == addresses.count { members["DestAddresses"] = .strings(peers) }
        let lengths = addresses.compactMap(\.address.prefixLength)
        let haveLengths = lengths.count == addresses.count
        switch family {
        case .v4:
            let broadcasts = addresses.compactMap(\.broadcast?.description)
            if broadcasts.count == addresses.count { members["BroadcastAddresses"] = .strings(broadcasts) }
            // The mask of an address with a peer would be the peer's.
            if haveLengths, peers.isEmpty { members["SubnetMasks"] = .strings(lengths.map(Self.mask)) }
        case .v6:
            if haveLengths { members["PrefixLength"] = .numbers(lengths.map(Int64.init)) }
            members["Flags"] = .numbers(addresses.map { Self.flags($0.address.flags) })
        }
        return members
    }

    private static func mask(_ length: UInt8) -> String {
        IPAddress.v4(IPv4Address(rawValue: .max)).masked(to: length).description
    }

    /// IN6_IFF_… of Apple's netinet6/in6_var.h, for IFA_F_… of linux/if_addr.h.
    private static func flags(_ flags: InterfaceAddress.Flags) -> Int64 {
        let table: [(linux: UInt32, apple: Int64)] = [
            (0x01, 0x80),  // temporary (RFC 8981)
            (0x04, 0x200),  // optimistic
            (0x08, 0x04),  // duplicate
            (0x20, 0x10),  // deprecated
            (0x40, 0x02),  // tentative
            (0x100, 0x40),  // of a prefix from a router, for which temporary addresses are made
            (0x800, 0x400),  // made by a stable secret (RFC 7217)
        ]
        return table.reduce(0) { flags.rawValue & $1.linux != 0 ? $0 | $1.apple : $0 }
    }
}
