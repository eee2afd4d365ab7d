// SPDX-License-Identifier: Apache-2.0
//
// Lists the network interfaces the system knows, with link state.
//
// Usage:    06a_interfaces [bsd-name ...]           (default: all)
// Expected: en0
//             type:      Ethernet
//             name:      Ethernet
//             MAC:       02:00:5e:00:53:01          (lower case, with colons)
//             protocols: DNS IPv4 IPv6 Proxies SMB  (at least DNS, IPv4, IPv6, Proxies)
//             MTU:       1500
//             link:      active
//           1 interface(s)
// lo0 is not in SCNetworkInterfaceCopyAll.
// With the cable pulled: "link: inactive", all the rest unchanged.

import Foundation
import SystemConfiguration

struct Port {
    let interface: SCNetworkInterface

    var bsdName: String? { SCNetworkInterfaceGetBSDName(interface) as String? }
    var type: String { SCNetworkInterfaceGetInterfaceType(interface) as String? ?? "?" }
    var displayName: String { SCNetworkInterfaceGetLocalizedDisplayName(interface) as String? ?? "-" }
    var mac: String { SCNetworkInterfaceGetHardwareAddressString(interface) as String? ?? "-" }

    var protocols: [String] {
        guard let list = SCNetworkInterfaceGetSupportedProtocolTypes(interface) else { return [] }
        return (list as! [String]).sorted()
    }

    var mtu: Int32? {
        var current: Int32 = 0
        guard SCNetworkInterfaceCopyMTU(interface, &current, nil, nil) else { return nil }
        return current
    }

    static func all() -> [Port] {
        let array = SCNetworkInterfaceCopyAll() as! [SCNetworkInterface]
        return array.map { Port(interface: $0) }
    }
}

func linkState(_ store: SCDynamicStore, _ name: String) -> String {
    let key = "State:/Network/Interface/\(name)/Link" as CFString
    guard let dict = SCDynamicStoreCopyValue(store, key) as? [String: Any],
        let active = dict["Active"] as? Bool
    else {
        return "unknown"
    }
    return active ? "active" : "inactive"
}

let wanted = Set(CommandLine.arguments.dropFirst())
let store = SCDynamicStoreCreate(nil, "interfaces" as CFString, nil, nil)!
var count = 0

for port in Port.all() {
    guard let name = port.bsdName else { continue }
    if !wanted.isEmpty && !wanted.contains(name) { continue }
    count += 1
    print(name)
    print("  type:      \(port.type)")
    print("  name:      \(port.displayName)")
    print("  MAC:       \(port.mac)")
    print("  protocols: \(port.protocols.joined(separator: " "))")
    print("  MTU:       \(port.mtu.map(String.init) ?? "-")")
    print("  link:      \(linkState(store, name))")
    if port.type == kSCNetworkInterfaceTypeIEEE80211 as String {
        print("  Wi-Fi")
    }
    // the interface a PPP or VLAN interface sits on, if it is one
    if let below = SCNetworkInterfaceGetInterface(port.interface) {
        print("  on:        \(SCNetworkInterfaceGetBSDName(below) as String? ?? "?")")
    }
}
print("\(count) interface(s)")

// State:/Network/Interface has all BSD names, lo0 too
if let dict = SCDynamicStoreCopyValue(store, SCDynamicStoreKeyCreateNetworkInterface(nil, kSCDynamicStoreDomainState))
    as? NSDictionary
{
    let names = dict[kSCDynamicStorePropNetInterfaces] as? [String] ?? []
    print("store: \(names.joined(separator: " "))")
}
