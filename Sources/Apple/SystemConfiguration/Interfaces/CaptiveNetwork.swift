// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// The name of a Wi-Fi network: a string.
public var kCNNetworkInfoKeySSID: CFString { "SSID" as NSString }
/// The bytes of that name.
public var kCNNetworkInfoKeySSIDData: CFString { "SSIDDATA" as NSString }
/// The hardware address of the access point: a string.
public var kCNNetworkInfoKeyBSSID: CFString { "BSSID" as NSString }

/// Returns the names of the Wi-Fi interfaces.
///
/// - Returns: nil if there are none. `SCError()` is then `kSCStatusNoKey`.
public func CNCopySupportedInterfaces() -> CFArray? {
    undisturbed { ListedInterface.namesOfWiFi().map { $0 as NSArray } }
}

/// Returns the network of a Wi-Fi interface: its name and the address of its access point, which nl80211 reports to every
/// process.
///
/// - Returns: a dictionary. Nil if the interface is not connected to a network; `SCError()` is then `kSCStatusNoKey`.
public func CNCopyCurrentNetworkInfo(_ interfaceName: CFString) -> CFDictionary? {
    undisturbed {
        let name = String(describing: interfaceName)
        let found = LegacyStatus.find { () throws(ReachabilityError) in try ListedInterface.network(ofInterface: name) }
        return found.map(PropertyValue.dictionary)
    }
}
