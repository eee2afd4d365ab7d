// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// The variables of the environment that name proxies, chosen as libcurl does, which FoundationNetworking uses ("Environment
/// variables" in curl(1)). An empty one counts as none (`GetEnv` in its getenv.c).
package struct ProxyVariables: Sendable {
    private let variable: @Sendable (String) -> String?

    /// - Parameter variable: returns the value of a variable; nil if there is none.
    package init(_ variable: @escaping @Sendable (String) -> String? = EnvironmentVariable.value) {
        self.variable = variable
    }

    /// The proxy for a scheme in small letters.
    package func proxy(for scheme: String) -> String? {
        // HTTP_PROXY is not read: a web server sets it from a header of its client's (CVE-2016-5385).
        (scheme == "http" ? value("http_proxy") : eitherCase("\(scheme)_proxy")) ?? eitherCase("all_proxy")
    }

    /// The list of the hosts that are reached without a proxy.
    package var exceptions: String? { eitherCase("no_proxy") }

    private func eitherCase(_ name: String) -> String? { value(name) ?? value(name.uppercased()) }

    private func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// The host of the proxy that libcurl uses for a URL (CURLOPT_NOPROXY(3)); nil for none.
    package func proxyHost(scheme: String, host: String) -> String? {
        guard let proxy = proxy(for: scheme.lowercased()), !isExcepted(host) else { return nil }
        return HostAndPort(url: proxy)?.host
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = exceptions else { return false }
        if list == "*" { return true }
        let address = Self.address(host)
        let name = Self.withoutFinalDot(host.lowercased()[...])
        return list.split(whereSeparator: { ", \t".contains($0) }).contains { entry in
            if let address { return Self.covers(entry, address) }
            let suffix = Self.withoutFinalDot(entry.lowercased().drop { $0 == "." })
            return !suffix.isEmpty && (name == suffix || name.hasSuffix(".\(suffix)"))
        }
    }

    /// Whether an entry is the address, or a network around it, such as "192.0.2.0/24".
    private static func covers(_ entry: Substring, _ address: IPAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1)
        guard let base = parts.first.flatMap({ Self.address(String($0)) }), base.family == address.family else {
            return false
        }
        guard parts.count == 2 else { return base == address }
        guard let length = UInt8(parts[1]), length <= base.bytes.count * 8 else { return false }
        return Prefix(base, length: length).contains(address)
    }

    private static func address(_ text: String) -> IPAddress? {
        let text = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        return IPv4Address(strict: text).map { .v4($0) } ?? IPv6Address(text).map { .v6($0, scope: nil) }
    }

    private static func withoutFinalDot(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }
}
