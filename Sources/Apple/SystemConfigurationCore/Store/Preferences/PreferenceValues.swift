// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit

/// The network preferences in the form of Apple's systems (preferences.plist), made from the present state of this machine: one
/// set, with a service for each interface that has one of Apple's types.
extension StoreSnapshot {
    var machinePreferences: PropertyValue {
        let links = network.inventory.links.sorted { $0.facts.index < $1.facts.index }
        let interfaces = links.compactMap(ListedInterface.init)
        let primary = network.primaryInterfaces
        let order = interfaces.filter { primary.contains($0.index) } + interfaces.filter { !primary.contains($0.index) }
        let services = Dictionary(interfaces.map { ($0.service, service(of: $0)) }) { first, _ in first }
        let set = ServiceIdentifier(interface: "/Sets").description
        return [
            "CurrentSet": .string("/Sets/\(set)"),
            "NetworkServices": .dictionary(services),
            "Sets": .dictionary([
                set: [
                    "UserDefinedName": "Automatic",
                    "Network": [
                        "Global": ["IPv4": ["ServiceOrder": .strings(order.map(\.service))]],
                        "Service": .dictionary(
                            services.keys.reduce(into: [:]) { $0[$1] = ["__LINK__": .string("/NetworkServices/\($1)")] }
                        ),
                    ],
                ]
            ]),
            "System": [
                "System": names.system ?? [:],
                "Network": ["HostNames": names.hostNames ?? [:]],
            ],
        ]
    }

    /// DNS and proxies are those of the whole machine, so only a primary service has them.
    private func service(of interface: ListedInterface) -> PropertyValue {
        let isPrimary = network.primaryInterfaces.contains(interface.index)
        var members: [String: PropertyValue] = [
            "UserDefinedName": .string(interface.displayName), "Interface": interface.preferences,
            "DNS": isPrimary ? network.nameServerValue ?? [:] : [:], "Proxies": isPrimary ? proxies.value ?? [:] : [:],
        ]
        for family in AddressFamily.allCases {
            members[family.entity] = network.configuration(of: interface.index, family)
        }
        return .dictionary(members)
    }
}

extension NetworkState {
    fileprivate var primaryInterfaces: Set<InterfaceIndex> {
        Set(AddressFamily.allCases.compactMap { primary($0)?.index })
    }

    /// An address that never expires was configured by hand, and any other came from a server or a router. Nil without an
    /// address.
    fileprivate func configuration(of interface: InterfaceIndex, _ family: AddressFamily) -> PropertyValue? {
        let own = inventory.addresses.filter {
            $0.address.interface == interface && $0.address.address.family == family
        }
        guard !own.isEmpty else { return nil }
        let beyondLink = own.filter { !$0.address.address.needsInterface }
        guard !beyondLink.isEmpty else { return ["ConfigMethod": "LinkLocal"] }
        // IFA_F_PERMANENT of linux/if_addr.h
        let byHand = beyondLink.filter { $0.address.flags.rawValue & 0x80 != 0 }
        guard !byHand.isEmpty else { return ["ConfigMethod": family == .v4 ? "DHCP" : "Automatic"] }
        var members = AddressValues(family, byHand).members
        members["ConfigMethod"] = "Manual"
        members["Router"] = primary(family).flatMap { $0.index == interface ? $0.router : nil }.map { .string($0) }
        return .dictionary(members)
    }
}

extension ListedInterface {
    fileprivate var service: String { ServiceIdentifier(interface: name).description }

    /// kSCPropNetInterface…
    fileprivate var preferences: PropertyValue {
        let isDialled = type == "PPP" || type == "WWAN"
        return [
            "DeviceName": .string(name), "UserDefinedName": .string(displayName),
            "Hardware": type == "IEEE80211" ? "AirPort" : isDialled ? "Modem" : "Ethernet",
            "Type": isDialled ? "PPP" : ["FireWire", "6to4", "IPSec"].contains(type) ? .string(type) : "Ethernet",
        ]
    }
}
