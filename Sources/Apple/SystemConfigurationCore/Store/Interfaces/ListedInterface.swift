// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityReferences

/// An interface as SCNetworkInterfaceCopyAll lists it.
package struct ListedInterface: Hashable, Sendable {
    package let index: InterfaceIndex
    package let name: String
    /// kSCNetworkInterfaceType…
    package let type: String
    /// Six bytes or more in hexadecimal digits; nil if the link has no such address.
    package let hardwareAddress: String?

    /// Nil for loopback and for links of a type that Apple's systems do not have.
    package init?(_ link: NetworkInventory.Link) {
        guard let type = link.facts.appleType else { return nil }
        index = link.facts.index
        name = link.facts.name
        self.type = type
        let isAddress = link.hardwareAddress.count >= 6 && link.hardwareAddress.contains { $0 != 0 }
        hardwareAddress = isAddress ? link.hardwareAddress.digits(separator: ":") : nil
    }

    /// A name for people.
    package var displayName: String {
        let words = ["IEEE80211": "Wi-Fi", "WWAN": "Mobile Broadband", "IPSec": "IPsec"]
        return "\(words[type] ?? type) (\(name))"
    }

    /// kSCNetworkProtocolType…
    package static let protocolTypes = ["DNS", "IPv4", "IPv6", "Proxies"]

    private var isWiFi: Bool { type == "IEEE80211" }

    /// The interfaces of the calling thread's network namespace, in the order of their numbers.
    package static func all() throws(ReachabilityError) -> [ListedInterface] {
        try PathSource().links().sorted { $0.facts.index < $1.facts.index }.compactMap(ListedInterface.init)
    }
}

extension ListedInterface {
    /// SCNetworkInterfaceCopyMTU: the size of the largest packet now, and the limits within which that may be set, or -1 where
    /// the driver names none. Nil if the interface is gone; then the status says so.
    package func packetSizes() -> (largest: Int32, leastSetting: Int32, greatestSetting: Int32)? {
        let sizes = LegacyStatus.find { () throws(ReachabilityError) in
            try PathSource().links().first { InterfaceName($0.facts.name) == InterfaceName(name) }?.packetSizes
        }
        guard let sizes else { return nil }
        return (
            Int32(clamping: sizes.largest), sizes.leastSetting.map { Int32(clamping: $0) } ?? -1,
            sizes.greatestSetting.map { Int32(clamping: $0) } ?? -1
        )
    }

    /// CNCopySupportedInterfaces: the names of the Wi-Fi interfaces. Nil if there are none; then the status says so.
    package static func namesOfWiFi() -> [String]? {
        LegacyStatus.find { () throws(ReachabilityError) in
            let names = try all().filter(\.isWiFi).map(\.name)
            return names.isEmpty ? nil : names
        }
    }

    /// CNCopyCurrentNetworkInfo: the name of a Wi-Fi interface's network and the address of its access point; nil if it is in
    /// none.
    package static func network(ofInterface name: String) throws(ReachabilityError) -> [String: PropertyValue]? {
        guard let interface = try all().first(where: { $0.isWiFi && InterfaceName($0.name) == InterfaceName(name) }),
            let network = try PathSource().wirelessNetwork(of: interface.index)
        else { return nil }
        return members(network)
    }

    static func members(_ network: WirelessNetwork) -> [String: PropertyValue] {
        [
            "SSID": .string(String(decoding: network.name, as: UTF8.self)), "SSIDDATA": .data(network.name),
            "BSSID": .string(network.accessPoint.digits(separator: ":")),
        ]
    }
}

extension LinkFacts {
    /// kSCNetworkInterfaceType…; nil if none fits.
    fileprivate var appleType: String? {
        if isLoopback { return nil }
        if isCellular { return "WWAN" }
        switch deviceType {
        case "wlan": return "IEEE80211"
        case "bluetooth": return "Bluetooth"
        default: break
        }
        switch kind {
        case "bond", "team": return "Bond"
        case "vlan": return "VLAN"
        case "sit": return "6to4"
        case "xfrm", "vti", "vti6": return "IPSec"
        default: break
        }
        // ARPHRD_… of linux/if_arp.h
        return switch hardwareType {
        case 24: "FireWire"
        case 512: "PPP"
        case 1 where !isTunnel && kind != "dummy" && kind != "ifb": "Ethernet"
        default: nil
        }
    }
}
