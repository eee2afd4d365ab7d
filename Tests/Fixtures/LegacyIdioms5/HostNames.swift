// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Reads the names of the machine and of the user at it.
public enum HostNameReader {
    /// The name for people.
    public static func computerName() -> (name: String, encoding: UInt32)? {
        var encoding: CFStringEncoding = 0
        guard let name = SCDynamicStoreCopyComputerName(nil, &encoding) as String? else { return nil }
        return (name, encoding)
    }

    /// The name for multicast DNS, or the error.
    public static func localHostName() -> String {
        guard let name = SCDynamicStoreCopyLocalHostName(nil) else {
            return String(cString: SCErrorString(SCError()))
        }
        return (name as String) + ".local"
    }

    /// The user at the console.
    public static func consoleUser() -> (name: String, uid: uid_t)? {
        var uid: uid_t = 0
        var gid: gid_t = 0
        guard let name = SCDynamicStoreCopyConsoleUser(nil, &uid, &gid) as String?, name != "loginwindow" else {
            return nil
        }
        return (name, uid)
    }

    /// The name servers.
    public static func nameServers() -> [String] {
        let store = SCDynamicStoreCreate(nil, "resolver" as CFString, nil, nil)
        let key = "State:/Network/Global/DNS" as CFString
        let value = SCDynamicStoreCopyValue(store, key) as? NSDictionary
        return value?[kSCPropNetDNSServerAddresses] as? [String] ?? []
    }
}
