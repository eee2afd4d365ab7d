// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A host, and perhaps a port, in one text.
package struct HostAndPort: Hashable, Sendable {
    /// Without brackets.
    package let host: String
    package let port: UInt16?

    package init(host: String, port: UInt16? = nil) {
        (self.host, self.port) = (host, port)
    }

    /// Reads HOST, HOST:PORT, [ADDRESS] and [ADDRESS]:PORT, where an IPv6 address has brackets.
    package init?(_ text: Substring) {
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]") else { return nil }
            host = String(text[..<end].dropFirst())
            rest = text[end...].dropFirst()
            guard IPv6Address(host.prefix { $0 != "%" }) != nil else { return nil }
        } else {
            let name = text.prefix { $0 != ":" }
            host = String(name)
            rest = text[name.endIndex...]
            guard !host.isEmpty else { return nil }
        }
        if rest.isEmpty {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(digits) else {
            return nil
        }
        port = number
    }

    /// Reads the host and the port of `[scheme://][user[:password]@]host[:port][/…]`.
    package init?(url text: String) {
        let authority = Self.parts(ofURL: text).authority
        // The port may be empty there.
        self.init(authority.hasSuffix(":") ? authority.dropLast() : authority)
    }

    /// The scheme, and the host with its port (RFC 3986 3). User and password are left out.
    package static func parts(ofURL text: String) -> (scheme: Substring?, authority: Substring) {
        var rest = text[...]
        var scheme: Substring?
        if let colon = text.firstIndex(of: ":"), colon > text.startIndex, text[colon...].hasPrefix("://"),
            text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        {
            scheme = text[..<colon]
            rest = text[colon...].dropFirst(3)
        }
        rest = rest.prefix { !"/?#".contains($0) }
        if let at = rest.lastIndex(of: "@") { rest = rest[at...].dropFirst() }
        return (scheme, rest)
    }
}
