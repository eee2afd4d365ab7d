// SPDX-License-Identifier: Apache-2.0
//
// Prints the system proxy settings (Swift of 2016: NSDictionary and as!).
//
// Usage:    02_proxy_reader_2016
// Expected on a machine without any proxies:
//           HTTP: off
//           HTTPS: off
//           FTP: off (passive)
//           SOCKS: off
//           PAC: off
//           WPAD: off
//           exceptions: *.local 169.254/16        (what macOS ships with)
//           simple host names excluded: no
// With an HTTP proxy proxy.example.test:3128 the first line reads
//           HTTP: proxy.example.test:3128
// Pulling the cable: without a primary service there are no settings from a
// service; all is "off", and "exceptions:" is "none".

import Foundation
import SystemConfiguration

let store = SCDynamicStoreCreate(nil, "proxy-reader" as CFString, nil, nil)!

guard let proxies = SCDynamicStoreCopyProxies(store) else {
    print("SCDynamicStoreCopyProxies failed: " + String(cString: SCErrorString(SCError())))
    exit(1)
}
let settings = proxies as NSDictionary

func isOn(_ key: CFString) -> Bool {
    if let n = settings.object(forKey: key as NSString) as? NSNumber {
        return n.intValue != 0
    }
    return false
}

func describe(_ name: String, enable: CFString, host: CFString, port: CFString, suffix: String = "") {
    if !isOn(enable) {
        print("\(name): off\(suffix)")
        return
    }
    let h = settings[host as NSString] as! NSString
    if let p = settings[port as NSString] as? NSNumber {
        print("\(name): \(h):\(p.intValue)\(suffix)")
    } else {
        print("\(name): \(h)\(suffix)")
    }
}

let passive = isOn(kSCPropNetProxiesFTPPassive) ? " (passive)" : ""

describe(
    "HTTP", enable: kSCPropNetProxiesHTTPEnable,
    host: kSCPropNetProxiesHTTPProxy, port: kSCPropNetProxiesHTTPPort)
describe(
    "HTTPS", enable: kSCPropNetProxiesHTTPSEnable,
    host: kSCPropNetProxiesHTTPSProxy, port: kSCPropNetProxiesHTTPSPort)
describe(
    "FTP", enable: kSCPropNetProxiesFTPEnable,
    host: kSCPropNetProxiesFTPProxy, port: kSCPropNetProxiesFTPPort, suffix: passive)
describe(
    "SOCKS", enable: kSCPropNetProxiesSOCKSEnable,
    host: kSCPropNetProxiesSOCKSProxy, port: kSCPropNetProxiesSOCKSPort)

if isOn(kSCPropNetProxiesProxyAutoConfigEnable) {
    let url = settings[kSCPropNetProxiesProxyAutoConfigURLString as NSString] as? NSString ?? "?"
    print("PAC: \(url)")
} else {
    print("PAC: off")
}
print("WPAD: " + (isOn(kSCPropNetProxiesProxyAutoDiscoveryEnable) ? "on" : "off"))

if let list = settings[kSCPropNetProxiesExceptionsList as NSString] as? NSArray, list.count > 0 {
    print("exceptions: " + list.componentsJoined(by: " "))
} else {
    print("exceptions: none")
}
print("simple host names excluded: " + (isOn(kSCPropNetProxiesExcludeSimpleHostnames) ? "yes" : "no"))
