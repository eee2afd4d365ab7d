// SPDX-License-Identifier: Apache-2.0
//
// Asks the captive network agent for the interfaces it looks after.
//
// Usage:    06b_captive
// Expected on a machine with only an Ethernet interface:
//           no interface supports captive network detection: <SCErrorString>
//      or   0 interfaces
// and with Wi-Fi:
//           1 interfaces
//           en1
// Pulling the Ethernet cable changes nothing. CNCopyCurrentNetworkInfo is iOS only.

import Foundation
import SystemConfiguration
import SystemConfiguration.CaptiveNetwork

#if os(iOS)
func ssid(_ name: String) -> String? {
    guard let info = CNCopyCurrentNetworkInfo(name as CFString) as NSDictionary? else { return nil }
    return info[kCNNetworkInfoKeySSID as String] as? String
}
#else
func ssid(_ name: String) -> String? { nil }
#endif

func supportedInterfaces() -> [String]? {
    guard let interfaces = CNCopySupportedInterfaces() else {
        return nil
    }
    var names = [String]()
    for i in 0..<CFArrayGetCount(interfaces) {
        // the CFArray way of 2015
        let name = unsafeBitCast(CFArrayGetValueAtIndex(interfaces, i), to: CFString.self)
        names.append(name as String)
    }
    return names
}

if let names = supportedInterfaces() {
    print("\(names.count) interfaces")
    for name in names {
        if let network = ssid(name) {
            print("\(name) joined to \(network)")
        } else {
            print(name)
        }
    }
} else {
    let message = String(cString: SCErrorString(SCError()))
    print("no interface supports captive network detection: \(message)")
}
