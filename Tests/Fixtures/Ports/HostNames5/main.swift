// SPDX-License-Identifier: Apache-2.0
//
// Prints the names of this computer, the location and the console user.
//
// Usage:    03_hostnames_2016
// Expected: computer name: box (encoding 0x08000100)     (UTF-8; older setups 0: MacRoman)
//           local host name: box
//           bonjour name: box.local
//           location: 8C1A0F5E-...   (the ID of the current set, a UUID; "none" without one)
//           console user: jane uid 501 gid 20            ("none" at the login window, or by ssh only)
//           HostNames: LocalHostName = box
// Removing the address or the cable changes nothing here.

import Foundation
import SystemConfiguration

let store = SCDynamicStoreCreate(nil, "hostnames" as CFString, nil, nil)!

var encoding: CFStringEncoding = 0
if let name = SCDynamicStoreCopyComputerName(store, &encoding) {
    print("computer name: \(name as String) (encoding \(String(format: "0x%08x", encoding)))")
} else {
    print("computer name: none: \(String(cString: SCErrorString(SCError())))")
}

// the store may be NULL for these functions: a temporary session is used
if let local = SCDynamicStoreCopyLocalHostName(nil) as NSString? {
    print("local host name: \(local)")
    print("bonjour name: \(local.appending(".local"))")
} else {
    print("local host name: none")
}

if let location = SCDynamicStoreCopyLocation(store) {
    print("location: \(location)")
} else {
    print("location: none")
}

var uid: uid_t = 0
var gid: gid_t = 0
if let user = SCDynamicStoreCopyConsoleUser(store, &uid, &gid) {
    let name = user as String
    if name == "loginwindow" {
        print("console user: none (login window)")
    } else {
        print("console user: \(name) uid \(uid) gid \(gid)")
    }
} else {
    print("console user: none")
}

// "Setup:/Network/HostNames"
let hostNamesKey = SCDynamicStoreKeyCreateHostNames(nil)
assert((hostNamesKey as NSString).isEqual(to: "Setup:/Network/HostNames"))
if let value = SCDynamicStoreCopyValue(store, hostNamesKey) {
    let dict = value as! NSDictionary
    let keys = (dict.allKeys as! [String]).sorted()
    for key in keys {
        print("HostNames: \(key) = \(dict.object(forKey: key)!)")
    }
    if let local = dict[kSCPropNetLocalHostName] as? String {
        assert(local == SCDynamicStoreCopyLocalHostName(store)! as String)
    }
} else {
    print("HostNames: \(String(cString: SCErrorString(SCError())))")
}

if let system = SCDynamicStoreCopyValue(store, SCDynamicStoreKeyCreateComputerName(nil)) as? [String: AnyObject] {
    let same =
        (system[kSCPropSystemComputerName as String] as? String)
        == (SCDynamicStoreCopyComputerName(nil, nil) as String?)
    print("Setup:/System agrees: \(same)")
}
