// SPDX-License-Identifier: Apache-2.0

import DynamicStore
public import Foundation
import LegacyReachability
import ReachabilityKit

/// The name of a Wi-Fi network: a string. Absent on Linux.
public var kCNNetworkInfoKeySSID: CFString { "SSID" as NSString }

/// The bytes of that name. Absent on Linux.
public var kCNNetworkInfoKeySSIDData: CFString { "SSIDDATA" as NSString }

/// The hardware address of the access point: a string. Absent on Linux.
public var kCNNetworkInfoKeyBSSID: CFString { "BSSID" as NSString }

/// The names of the Wi-Fi interfaces; nil if there are none.
public func CNCopySupportedInterfaces() -> CFArray? {
    let listed = LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in try ListedInterface.all() }
    let names = (listed ?? []).filter(\.isWiFi).map(\.name)
    return names.isEmpty ? nil : names as NSArray
}

/// The network of a Wi-Fi interface. Not known yet on Linux: nil, as on Apple's systems without the permission to ask.
public func CNCopyCurrentNetworkInfo(_ interfaceName: CFString) -> CFDictionary? {
    LegacyStatus.last = .accessError
    return nil
}
