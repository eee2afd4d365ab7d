// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityReferences
import ReachabilityResolverFiles

/// `State:/Network/Global` and `State:/Network/Service` (SCSchemaDefinitions.h, configd-1405).
extension NetworkState {
    var globalValues: [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        let names = nameServerValue
        values[StoreKey.global(StoreKey.state, "DNS")] = names
        for family in AddressFamily.allCases {
            guard let primary = primary(family) else { continue }
            let service = ServiceIdentifier(interface: primary.name).description
            var members: [String: PropertyValue] = [
                "PrimaryInterface": .string(primary.name), "PrimaryService": .string(service),
            ]
            members["Router"] = primary.router.map { .string($0) }
            values[StoreKey.global(StoreKey.state, family.entity)] = .dictionary(members)

            func key(_ entity: String) -> String { StoreKey.service(StoreKey.state, service, entity) }
            let own = inventory.addresses.filter { $0.address.interface == primary.index }
            var addresses = AddressValues(family, own).members
            addresses["InterfaceName"] = .string(primary.name)
            addresses["Router"] = members["Router"]
            values[key(family.entity)] = .dictionary(addresses)
            values[key("DNS")] = names
        }
        return values
    }

    struct Primary {
        let index: InterfaceIndex
        let name: String
        /// Nil if the route has no gateway, or one of the other family.
        let router: String?
    }

    /// The interface of the family's default route. Nil if there is none, or if the route leads to this machine itself.
    func primary(_ family: AddressFamily) -> Primary? {
        guard let route = path.defaultRoute(family), route.interface != path.loopback?.linkIndex,
            let name = inventory.name(of: route.interface)
        else { return nil }
        return Primary(
            index: route.interface, name: name,
            router: route.gateway.flatMap { $0.family == family ? text($0, through: name) : nil })
    }

    var nameServerValue: PropertyValue? {
        var members: [String: PropertyValue] = [:]
        if !path.servers.isEmpty {
            members["ServerAddresses"] = .strings(
                path.servers.map { server in
                    text(server.address, through: server.address.scope.flatMap(inventory.name))
                })
        }
        if let first = searchDomains.first {
            members["SearchDomains"] = .strings(searchDomains)
            // The domain of this machine is the first that is searched (res_init in resolver(3)).
            members["DomainName"] = .string(first)
        }
        return members.isEmpty ? nil : .dictionary(members)
    }

    /// An address, with its interface if it means nothing without one.
    private func text(_ address: IPAddress, through interface: String?) -> String {
        guard address.needsInterface, let interface else { return address.unscoped.description }
        return "\(address.unscoped)%\(interface)"
    }
}

/// Names the service of an interface, as configd names each by a UUID. The same interface always gets the same one.
package struct ServiceIdentifier: CustomStringConvertible {
    package let description: String

    /// Version 8 of RFC 9562: the bits besides version and variant are our own, the FNV-1a hash (draft-eastlake-fnv) of the
    /// name.
    package init(interface: String) {
        var bits: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        let prime: UInt128 = 0x0100_0000_0000_0000_0000_013B
        for byte in interface.utf8 { bits = (bits ^ UInt128(byte)) &* prime }
        let fixed: UInt128 = 0xF000_C000_0000_0000_0000
        let version: UInt128 = 0x8000_8000_0000_0000_0000
        bits = bits & ~fixed | version
        var rest = String(bits, radix: 16, uppercase: true).padded(to: 32)[...]
        description = [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }.joined(separator: "-")
    }
}
