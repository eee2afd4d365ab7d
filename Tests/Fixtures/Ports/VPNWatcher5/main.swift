// SPDX-License-Identifier: Apache-2.0
//
// Watches VPN-like interfaces and the IPv4 part of all services with patterns.
//
// Usage:    04_vpn_watcher [seconds]                (default: until killed)
// Expected: no VPN interface
//           service <UUID>: InterfaceName=en0 Addresses=192.0.2.10
//           watching
// When a VPN brings up utun4 with 10.8.0.2 it prints something like
//           + State:/Network/Interface/utun4/IPv4 Addresses=10.8.0.2
//           + State:/Network/Service/<UUID>/IPv4 Addresses=10.8.0.2
// When the address of en0 is removed:
//           - State:/Network/Service/<UUID>/IPv4
// (nothing for State:/Network/Interface/en0/IPv4: en0 is not in the pattern)

import Foundation
import SystemConfiguration

setlinebuf(stdout)

let vpnPattern = "State:/Network/Interface/(utun|ppp|tun|wg)[^/]*/IPv4"
let servicePattern = "State:/Network/Service/[^/]+/IPv4"

typealias StoreDictionary = [String: Any]

func addressList(_ value: Any?) -> String {
    guard let dict = value as? StoreDictionary else { return "?" }
    let addresses = dict[kSCPropNetIPv4Addresses as String] as? [String] ?? []
    return addresses.isEmpty ? "none" : addresses.joined(separator: ",")
}

func fail(_ what: String) -> Never {
    let code = SCError()
    print("\(what): \(code) \(String(cString: SCErrorString(code)))")
    exit(EXIT_FAILURE)
}

func storeDidChange(store: SCDynamicStore, keys: CFArray, info: UnsafeMutableRawPointer?) {
    let names = (keys as NSArray as? [String] ?? []).sorted()
    // one round trip for all changed keys
    let values = SCDynamicStoreCopyMultiple(store, keys, nil) as? StoreDictionary ?? [:]
    for name in names {
        if let value = values[name] {
            print("+ \(name) Addresses=\(addressList(value))")
        } else {
            print("- \(name)")
        }
    }
}

guard let store = SCDynamicStoreCreate(nil, "vpn-watcher" as CFString, storeDidChange, nil) else {
    fail("SCDynamicStoreCreate")
}

// what is there now
guard let vpnKeys = SCDynamicStoreCopyKeyList(store, vpnPattern as CFString) as? [String] else {
    fail("SCDynamicStoreCopyKeyList")
}
if vpnKeys.isEmpty {
    print("no VPN interface")
}
for key in vpnKeys.sorted() {
    let interface = key.components(separatedBy: "/")[3]
    print("VPN interface \(interface): \(addressList(SCDynamicStoreCopyValue(store, key as CFString)))")
}

if let services = SCDynamicStoreCopyMultiple(store, nil, [servicePattern] as CFArray) as? [String: StoreDictionary] {
    for (key, value) in services.sorted(by: { $0.key < $1.key }) {
        let service = key.components(separatedBy: "/")[3]
        let interface = value[kSCPropInterfaceName as String] as? String ?? "?"
        print("service \(service): InterfaceName=\(interface) Addresses=\(addressList(value))")
    }
}

if !SCDynamicStoreSetNotificationKeys(store, nil, [vpnPattern, servicePattern] as CFArray) {
    fail("SCDynamicStoreSetNotificationKeys")
}
let source = SCDynamicStoreCreateRunLoopSource(kCFAllocatorDefault, store, 0)
CFRunLoopAddSource(CFRunLoopGetMain(), source, CFRunLoopMode.commonModes)
print("watching")

if CommandLine.argc > 1, let seconds = Double(CommandLine.arguments[1]) {
    RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
    CFRunLoopSourceInvalidate(source)
    print("finished")
} else {
    RunLoop.main.run()
}
