// SPDX-License-Identifier: Apache-2.0
//
// System proxy settings as a Sendable value. Swift 6 language mode.
//
// Usage:    02_proxies [host ...]          (says for each host whether it is an exception)
// Expected without proxies:
//           http: direct
//           https: direct
//           ftp: direct
//           socks: direct
//           exceptions: ["*.local", "169.254/16"]   (or [] )
// With proxies, e.g.  "http: proxy.example.test:3128".
// For an argument "printer.local":   printer.local: direct
// Pulling the cable: all direct, exceptions [].

import Foundation
import SystemConfiguration

struct ProxySettings: Sendable {
    struct Server: Sendable, CustomStringConvertible {
        let host: String
        let port: Int?
        var description: String { port.map { "\(host):\($0)" } ?? host }
    }

    enum Kind: String, CaseIterable, Sendable {
        case http, https, ftp, socks

        var keys: (enable: CFString, host: CFString, port: CFString) {
            switch self {
            case .http: (kSCPropNetProxiesHTTPEnable, kSCPropNetProxiesHTTPProxy, kSCPropNetProxiesHTTPPort)
            case .https: (kSCPropNetProxiesHTTPSEnable, kSCPropNetProxiesHTTPSProxy, kSCPropNetProxiesHTTPSPort)
            case .ftp: (kSCPropNetProxiesFTPEnable, kSCPropNetProxiesFTPProxy, kSCPropNetProxiesFTPPort)
            case .socks: (kSCPropNetProxiesSOCKSEnable, kSCPropNetProxiesSOCKSProxy, kSCPropNetProxiesSOCKSPort)
            }
        }
    }

    let servers: [Kind: Server]
    let exceptions: [String]
    let excludesSimpleNames: Bool

    static func current() -> ProxySettings? {
        // no session: SCDynamicStoreCopyProxies makes one for the call
        guard let dictionary = SCDynamicStoreCopyProxies(nil) as? [String: Any] else { return nil }
        var servers: [Kind: Server] = [:]
        for kind in Kind.allCases {
            let keys = kind.keys
            guard let enabled = dictionary[keys.enable as String] as? Int, enabled == 1,
                let host = dictionary[keys.host as String] as? String
            else { continue }
            servers[kind] = Server(host: host, port: dictionary[keys.port as String] as? Int)
        }
        return ProxySettings(
            servers: servers,
            exceptions: dictionary[kSCPropNetProxiesExceptionsList as String] as? [String] ?? [],
            excludesSimpleNames: (dictionary[kSCPropNetProxiesExcludeSimpleHostnames as String] as? NSNumber)?.boolValue
                ?? false)
    }

    func isException(_ host: String) -> Bool {
        if excludesSimpleNames && !host.contains(".") { return true }
        return exceptions.contains { pattern in
            if pattern.hasPrefix("*.") { return host.lowercased().hasSuffix(pattern.dropFirst().lowercased()) }
            return host.caseInsensitiveCompare(pattern) == .orderedSame
        }
    }
}

guard let settings = ProxySettings.current() else {
    print("no proxy settings: \(String(cString: SCErrorString(SCError())))")
    exit(1)
}
for kind in ProxySettings.Kind.allCases {
    print("\(kind.rawValue): \(settings.servers[kind].map(String.init(describing:)) ?? "direct")")
}
print("exceptions: \(settings.exceptions)")
for host in CommandLine.arguments.dropFirst() {
    print("\(host): \(settings.isException(host) || settings.servers.isEmpty ? "direct" : "proxy")")
}
