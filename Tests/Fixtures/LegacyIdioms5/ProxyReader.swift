// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Reads the proxies, in the two ways that sources do.
public enum ProxyReader {
    /// A proxy.
    public struct Proxy: Equatable, Sendable {
        /// Its host.
        public let host: String
        /// Its port.
        public let port: Int
    }

    /// The proxy for HTTP; nil if there is none.
    public static func httpProxy() -> Proxy? {
        guard let proxies = SCDynamicStoreCopyProxies(nil) as? [String: Any],
            (proxies[kSCPropNetProxiesHTTPEnable as String] as? Int) == 1,
            let host = proxies[kSCPropNetProxiesHTTPProxy as String] as? String,
            let port = proxies[kSCPropNetProxiesHTTPPort as String] as? Int
        else { return nil }
        return Proxy(host: host, port: port)
    }

    /// The hosts without a proxy.
    public static func exceptions() -> [String] {
        guard let proxies = SCDynamicStoreCopyProxies(nil) else { return [] }
        let dictionary = proxies as NSDictionary
        return dictionary[kSCPropNetProxiesExceptionsList as String] as? [String] ?? []
    }
}
