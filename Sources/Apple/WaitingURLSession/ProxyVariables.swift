// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

extension ProxyVariables {
    /// The host of the proxy that libcurl uses for a URL (CURLOPT_NOPROXY(3)); nil for none.
    func proxyHost(scheme: String, host: String) -> String? {
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
