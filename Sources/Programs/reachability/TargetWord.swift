// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// A target as people write or paste it. A port and the rest of a URL are left out, as routes do not depend on them.
struct TargetWord: Equatable, Sendable {
    /// As it was given.
    let text: String
    let target: TargetText
    /// What was left out; nil if nothing was.
    let ignored: String?

    init(_ text: String) throws(ReachabilityError) {
        self.text = text
        let host: HostAndPort
        if let url = HostAndPort(url: text) {
            host = url
            ignored = "only the host of the URL counts"
        } else if let address = AddressText(text), !text.hasPrefix("[") {
            (target, ignored) = (.address(text), nil)
            _ = address
            return
        } else if let found = HostAndPort(text) {
            host = found
            ignored = found.port.map { "the port \($0) does not matter to routes" }
        } else {
            host = HostAndPort(host: text, port: nil)
            ignored = nil
        }
        if let problem = Self.problem(text, host.host) {
            throw ReachabilityError(.invalidTarget, "use the target", text, problem)
        }
        target = try TargetText(host.host)
        if let problem = target.problem { throw problem }
    }

    /// What is wrong with texts that look like something else than a name.
    private static func problem(_ text: String, _ host: String) -> String? {
        if let slash = text.lastIndex(of: "/"), !text.contains("://"), AddressText(String(text[..<slash])) != nil,
            text[text.index(after: slash)...].allSatisfy(\.isNumber)
        {
            return "this is a network in CIDR notation, and a target is one host; pass an address, such as "
                + String(text[..<slash])
        }
        if text.contains("://"), HostAndPort(url: text) == nil { return "this URL has no host" }
        if let percent = host.firstIndex(of: "%"), case .v4? = AddressText(String(host[..<percent]))?.address {
            return "an IPv4 address is written without an interface; --interface chooses one"
        }
        if let mark = host.first(where: { "%[]".contains($0) }), AddressText(host) == nil, !host.contains(",") {
            return "no host name contains \"\(mark)\""
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        // No top-level domain is a number (RFC 3696 2), so this is a misspelt address and is not asked of name servers.
        if let last = labels.last(where: { !$0.isEmpty }), last.allSatisfy({ $0.isASCII && $0.isNumber }),
            AddressText(host) == nil, !host.contains(","), !host.contains("/")
        {
            return labels.count == 4
                ? "this is no IPv4 address: each of its parts is a number from 0 to 255"
                : "this is no IPv4 address, which has four numbers from 0 to 255, and no name, which does not end in a "
                    + "number"
        }
        return nil
    }
}

/// A host and a port in one text.
struct HostAndPort: Equatable, Sendable {
    let host: String
    let port: UInt16?

    init(host: String, port: UInt16?) {
        (self.host, self.port) = (host, port)
    }

    /// Reads HOST:PORT, [ADDRESS]:PORT and [ADDRESS].
    init?(_ text: String) {
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), IPv6Text.isAddress(host) else { return nil }
            if rest.isEmpty {
                port = nil
                return
            }
            guard let number = UInt16(rest.dropFirst()) else { return nil }
            port = number
        } else {
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex, text.lastIndex(of: ":") == colon,
                case let digits = text[text.index(after: colon)...], digits.allSatisfy({ $0.isASCII && $0.isNumber }),
                let number = UInt16(digits)
            else { return nil }
            host = String(text[..<colon])
            port = number
        }
    }

    /// Reads the host of a URL with a scheme and an authority (RFC 3986 3.2).
    init?(url text: String) {
        guard let start = text.range(ofSchemeEnd: "://") else { return nil }
        var rest = text[start...].prefix { !"/?#".contains($0) }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        guard !rest.isEmpty else { return nil }
        if let found = HostAndPort(String(rest)) {
            self = found
        } else {
            // The port of a URL may be empty.
            self.init(host: String(rest.hasSuffix(":") ? rest.dropLast() : rest), port: nil)
        }
    }
}

private enum IPv6Text {
    static func isAddress(_ text: String) -> Bool {
        if case .v6? = AddressText(text)?.address { true } else { false }
    }
}

extension String {
    /// The index behind `mark`, if what stands before it is a URL's scheme (RFC 3986 3.1).
    fileprivate func range(ofSchemeEnd mark: String) -> Index? {
        guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix(mark), colon > startIndex,
            self[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return index(colon, offsetBy: mark.count)
    }
}

/// What `wait --connect` connects to.
struct ConnectionTarget: Equatable, Sendable {
    /// As it was given.
    let text: String
    let target: TargetText
    let port: UInt16

    init?(_ text: String) {
        guard let parts = HostAndPort(text), let port = parts.port, port > 0, let word = try? TargetWord(parts.host)
        else { return nil }
        switch word.target {
        case .name, .address: break
        case .pair, .defaultPath: return nil
        }
        (self.text, target, self.port) = (text, word.target, port)
    }
}
