// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Reads the proxies, in the two ways that sources do.
public enum ProxyReader {
    public struct Proxy: Equatable, Sendable {
        public let host: String
        public let port: Int
    }

    public static func httpProxy() -> Proxy? {
        guard let proxies = SCDynamicStoreCopyProxies(nil) as? [String: Any],
            (proxies[kSCPropNetProxiesHTTPEnable as String] as? Int) == 1,
            let host = proxies[kSCPropNetProxiesHTTPProxy as String] as? String,
            let port = proxies[kSCPropNetProxiesHTTPPort as String] as? Int
        else { return nil }
        return Proxy(host: host, port: port)
    }

    public static func exceptions() -> [String] {
        guard let proxies = SCDynamicStoreCopyProxies(nil) else { return [] }
        let dictionary = proxies as NSDictionary
        return dictionary[kSCPropNetProxiesExceptionsList as String] as? [String] ?? []
    }
}
