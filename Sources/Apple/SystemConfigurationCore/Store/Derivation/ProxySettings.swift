// SPDX-License-Identifier: Apache-2.0

package import ReachabilityProxies
import ReachabilityResolverFiles

/// The proxies that the environment names, as curl(1) reads it.
package struct ProxySettings: Hashable, Sendable {
    /// A proxy's host and port.
    package struct Proxy: Hashable, Sendable {
        package var host: String
        /// Nil if the variable names none.
        package var port: Int64?
    }

    package var http: Proxy?
    package var https: Proxy?
    package var ftp: Proxy?
    package var socks: Proxy?
    /// Hosts that are reached without a proxy.
    package var exceptions: [String] = []

    init() {}

    /// What the environment of the process says now. For threads of clients only: setenv(3) may move the variables away from
    /// under a reader.
    static var present: Self { Self(ProxyVariables()) }

    package init(_ variables: ProxyVariables) {
        for (scheme, keyPath) in [("http", \Self.http), ("https", \Self.https), ("ftp", \Self.ftp)] {
            guard let text = variables.proxy(for: scheme), let (proxy, isSocks) = Self.parse(text) else { continue }
            if isSocks { socks = socks ?? proxy } else { self[keyPath: keyPath] = proxy }
        }
        guard socks != nil || http != nil || https != nil || ftp != nil else { return }
        exceptions = variables.exceptions.map(Self.exceptions) ?? []
    }

    /// Reads `[scheme://][user[:password]@]host[:port][/…]`. User and password stay out of the store.
    private static func parse(_ text: String) -> (Proxy, isSocks: Bool)? {
        guard let parts = HostAndPort(url: text), parts.port != 0 else { return nil }
        let scheme = HostAndPort.parts(ofURL: text).scheme ?? "http"
        return (Proxy(host: parts.host, port: parts.port.map(Int64.init)), scheme.lowercased().hasPrefix("socks"))
    }

    /// A name stands for itself and for all names below it, with or without a dot before it (curl(1), NO_PROXY). In Apple's
    /// list these are two patterns. Addresses, prefixes and `*` stay as they are.
    private static func exceptions(_ list: String) -> [String] {
        var result: [String] = []
        for word in list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            let name = word.hasPrefix("*.") ? word.dropFirst(2) : word.hasPrefix(".") ? word.dropFirst() : word
            let isName =
                !name.isEmpty && !name.contains { $0 == "/" || $0 == "*" || $0 == ":" }
                && !(name.split(separator: ".").last?.allSatisfy(\.isNumber) ?? true)
            for exception in isName ? [String(name), "*.\(name)"] : [String(word)]
            where !result.contains(exception) {
                result.append(exception)
            }
        }
        return result
    }

    /// Apple's dictionary (kSCPropNetProxies…); nil if there is no proxy.
    package var value: PropertyValue? {
        var members: [String: PropertyValue] = [:]
        for (name, proxy) in [("HTTP", http), ("HTTPS", https), ("FTP", ftp), ("SOCKS", socks)] {
            guard let proxy else { continue }
            members["\(name)Enable"] = 1
            members["\(name)Proxy"] = .string(proxy.host)
            members["\(name)Port"] = proxy.port.map { .number($0) }
        }
        guard !members.isEmpty else { return nil }
        if !exceptions.isEmpty { members["ExceptionsList"] = .strings(exceptions) }
        return .dictionary(members)
    }
}
