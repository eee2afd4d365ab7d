// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The name of a host, in one canonical form.
package struct HostName: Hashable, Sendable {
    /// In lower case, without a trailing dot.
    package let canonical: String
    /// Whether it was written with a trailing dot. No search domain is appended then (resolv.conf(5)).
    package let isAbsolute: Bool
    /// Why the name can never resolve. Nil for a valid name.
    package let problem: HostNameError?

    /// Accepts a name that could resolve, and throws the reason for any other.
    package init(_ text: String) throws(HostNameError) {
        if let problem = HostNameError(examining: text) { throw problem }
        self.init(lenient: text)
    }

    /// Accepts any text. An impossible name resolves to "no such name" without a question.
    package init(lenient text: String) {
        problem = HostNameError(examining: text)
        isAbsolute = text.utf8.last == UInt8(ascii: ".")
        canonical = Self.canonicalForm(text)
    }

    /// ASCII letters in lower case (RFC 4343), without one trailing dot.
    package static func canonicalForm(_ text: some StringProtocol) -> String {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        for index in bytes.indices where (65...90).contains(bytes[index]) { bytes[index] |= 0x20 }
        return String(decoding: bytes, as: UTF8.self)
    }

    var dotCount: Int { canonical.utf8.count { $0 == UInt8(ascii: ".") } }

    /// A name for multicast DNS (RFC 6762, section 3).
    package var isMulticast: Bool { canonical.hasSuffix(".local") }

    /// "localhost" and every name under it (RFC 6761 6.3).
    package var isLocalhost: Bool { canonical == "localhost" || canonical.hasSuffix(".localhost") }
}

/// What a lookup is for: the addresses of a name, of one family or of both.
package struct NameQuery: Hashable, Sendable {
    package let name: HostName
    /// Nil for both.
    package let family: AddressFamily?

    package init(_ name: HostName, _ family: AddressFamily? = nil) {
        (self.name, self.family) = (name, family)
    }

    package func wants(_ family: AddressFamily) -> Bool { self.family == nil || self.family == family }
}

extension HostName: CustomStringConvertible {
    package var description: String { isAbsolute ? canonical + "." : canonical }
}

/// Why a text cannot be the name of a host.
package enum HostNameError: Error, Hashable, Sendable {
    case empty
    case tooLong(octets: Int)
    case labelTooLong(String)
    case emptyLabel
    case containsNUL
    case containsWhiteSpace
    case isURL(host: String)
    case hasPort(host: String)
    case hasBrackets(address: String)
    case notASCII
    case badCharacter(String)
    case endsInNumber(parts: Int)

    /// Nil if the text could be the name of a host.
    init?(examining text: String) {
        // RFC 1035 3.1: a label has at most 63 octets, a name 255 on the wire, which is 253 in text.
        let bytes = Array(text.utf8)
        if bytes.isEmpty || bytes == [UInt8(ascii: ".")] {
            self = .empty
        } else if bytes.contains(0) {
            self = .containsNUL
        } else if bytes.contains(where: { $0 == 32 || (9...13).contains($0) }) {
            self = .containsWhiteSpace
        } else if bytes.contains(UInt8(ascii: "/")) {
            self = .isURL(host: Self.host(ofURL: text))
        } else if let address = Self.address(between: text) {
            self = .hasBrackets(address: address)
        } else if let parts = HostAndPort(text[...]), parts.host != text {
            self = .hasPort(host: parts.host)
        } else if bytes.contains(where: { $0 >= 0x80 }) {
            self = .notASCII
        } else if let bad = text.firstIndex(where: { !Self.isUsable($0) }) {
            // A byte that is not UTF-8 has come as `\xff`.
            self = .badCharacter(String(text[bad...].prefix(text[bad...].hasPrefix("\\x") ? 4 : 1)))
        } else {
            let name = HostName.canonicalForm(text)
            let labels = name.split(separator: ".", omittingEmptySubsequences: false)
            if labels.contains(where: \.isEmpty) {
                self = .emptyLabel
            } else if let long = labels.first(where: { $0.utf8.count > 63 }) {
                self = .labelTooLong(String(long))
            } else if name.utf8.count > 253 {
                self = .tooLong(octets: name.utf8.count)
            } else if labels.last?.allSatisfy(\.isNumber) == true, IPv4Address(lenient: text) == nil {
                // No top-level domain is a number (RFC 3696 2), so this is a mistyped address.
                self = .endsInNumber(parts: text.split(separator: ".", omittingEmptySubsequences: false).count)
            } else {
                return nil
            }
        }
    }

    /// An IPv6 address with a bracket at one end or at both.
    private static func address(between text: String) -> String? {
        let inner = text.drop { $0 == "[" }.prefix { $0 != "]" }
        let isBracketed = text.hasPrefix("[") || text.hasSuffix("]")
        guard isBracketed, text.utf8.count - inner.utf8.count <= 2, IPv6Address(inner.prefix { $0 != "%" }) != nil
        else { return nil }
        return String(inner)
    }

    /// Printable, and not special: a backslash is an escape in c-ares, and a colon separates.
    private static func isUsable(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return byte > 32 && byte < 127 && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: ":")
    }

    private static func host(ofURL text: String) -> String {
        HostAndPort(url: text)?.host ?? String(HostAndPort.parts(ofURL: text).authority)
    }
}

extension HostNameError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the host name is empty; pass a name such as \"www.example.org\""
        case .tooLong(let octets): "the host name has \(octets) octets; a name has at most 253"
        case .labelTooLong(let label):
            "the part \"\(label)\" of the host name has \(label.utf8.count) octets; a part has at most 63"
        case .emptyLabel: "the host name has an empty part; pass it with single dots between its parts"
        case .containsNUL: "the host name contains a NUL; pass the text before it"
        case .containsWhiteSpace: "the host name contains white space; pass the name alone"
        case .isURL(let host) where HostNameError(examining: host) != nil:
            "this is a URL or a path, not a host name; pass the host alone"
        case .isURL(let host): "this is a URL or a path, not a host name; pass the host: \"\(host)\""
        case .hasPort(let host): "the host name has a port, which is not used here; pass the host: \"\(host)\""
        case .hasBrackets(let address): "an IPv6 address is written without brackets here: \"\(address)\""
        case .notASCII: "the host name is not ASCII; pass its xn-- form (RFC 5891)"
        case .endsInNumber(4): "this is no IPv4 address: each of its parts is a number from 0 to 255"
        case .endsInNumber:
            "this is no IPv4 address, which has four numbers from 0 to 255, and no name, which does not end in a number"
        case .badCharacter(let character):
            "the host name contains \"\(character)\", which no host name can; pass a name or an address alone"
        }
    }
}
