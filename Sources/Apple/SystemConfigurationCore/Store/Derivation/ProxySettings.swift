// SPDX-License-Identifier: Apache-2.0

/// The proxies that the environment names, as curl(1) and most programs on Linux read it.
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

    /// - Parameter variable: returns the value of a variable of the environment.
    package init(environment variable: (String) -> String?) {
        func value(_ name: String) -> String? {
            let lower = variable(name).flatMap { $0.isEmpty ? nil : $0 }
            // A web server passes the header `Proxy:` of a request as HTTP_PROXY (CVE-2016-5387).
            if name == "http_proxy", variable("REQUEST_METHOD") != nil { return lower }
            return lower ?? variable(name.uppercased()).flatMap { $0.isEmpty ? nil : $0 }
        }
        let all = value("all_proxy")
        for (name, keyPath) in [
            ("http_proxy", \Self.http), ("https_proxy", \Self.https), ("ftp_proxy", \Self.ftp),
        ] {
            guard let text = value(name) ?? all, let (proxy, isSocks) = Self.parse(text) else { continue }
            if isSocks { socks = socks ?? proxy } else { self[keyPath: keyPath] = proxy }
        }
        guard socks != nil || http != nil || https != nil || ftp != nil else { return }
        exceptions = value("no_proxy").map(Self.exceptions) ?? []
    }

    /// Reads `[scheme://][user[:password]@]host[:port][/…]`. User and password stay out of the store.
    private static func parse(_ text: String) -> (Proxy, isSocks: Bool)? {
        var rest = Substring(text)
        var scheme = "http"
        if let range = rest.range(of: "://") {
            scheme = rest[..<range.lowerBound].lowercased()
            rest = rest[range.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        var host = rest
        var port: Int64?
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            rest = rest[colon...]
            // An IPv6 address without brackets has no port.
            guard !host.contains(":") else { return nil }
        } else {
            rest = ""
        }
        if rest.count > 1 {
            guard let number = UInt16(rest.dropFirst()), number != 0 else { return nil }
            port = Int64(number)
        }
        guard !host.isEmpty else { return nil }
        return (Proxy(host: String(host), port: port), scheme.hasPrefix("socks"))
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

extension Substring {
    /// The first place of a text. (Foundation's function of this name is not available here.)
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
