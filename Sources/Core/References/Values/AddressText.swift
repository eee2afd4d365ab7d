// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// An address as text.
package struct AddressText: Hashable, Sendable {
    /// The address, without its zone.
    package let address: IPAddress
    /// The text after `%`: the name or number of an interface.
    package let zone: String?

    /// Reads an IPv4 address in any form that inet_aton(3) takes, or an IPv6 address with or without a zone (RFC 4007 11).
    ///
    /// - Parameter ignoringRest: whether white space and anything behind it may follow an IPv4 address.
    package init?(_ text: String, ignoringRest: Bool = false) {
        if let address = IPv4Address(lenient: text, ignoringRest: ignoringRest) {
            self.address = .v4(address)
            zone = nil
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPv6Address(parts[0]), parts.count == 1 || !parts[1].isEmpty else { return nil }
        self.address = .v6(address)
        zone = parts.count == 2 ? String(parts[1]) : nil
    }

    /// Reads an IPv4 address only as four decimal numbers. The other forms of inet_aton(3), which turn 1.2.3 into 1.2.0.3 and
    /// 010.0.0.1 into 8.0.0.1, are accepted nowhere else.
    package init?(inFull text: String) {
        guard Self.hint(text) == nil else { return nil }
        self.init(text)
    }

    /// How to write out an address that is nearly complete; nil for any other text.
    package static func hint(_ text: String) -> String? {
        if case .v4(let address)? = AddressText(text)?.address, IPv4Address(strict: text) == nil {
            return "write an IPv4 address as four decimal numbers: this would be \(address)"
        }
        guard text.hasPrefix("["), let parts = HostAndPort(text[...]) else { return nil }
        return "write an IPv6 address without brackets here: \(parts.host)"
    }

    /// The host and the port of an IPv6 address without brackets that may be meant to include a port. Such a text is often an
    /// address itself: `::1:80` is 0:0:0:0:0:0:1:80.
    static func portReading(_ text: String) -> HostAndPort? {
        // A pair has a comma, which the name of a zone would include.
        guard let colon = text.lastIndex(of: ":"), !text.hasPrefix("["), !text.contains(",") else { return nil }
        return HostAndPort("[\(text[..<colon])]\(text[colon...])"[...])
    }

    /// How to write an address whose brackets are missing, so that it has one meaning only, or are superfluous; nil for any other
    /// text.
    package static func portHint(_ text: String) -> String? {
        if let parts = portReading(text), let port = parts.port {
            let other = IPv6Address(text) == nil ? "" : ", or [\(text)] for an address without a port"
            return "write [\(parts.host)]:\(port) for port \(port)\(other)"
        }
        let bare = text.filter { !"[]".contains($0) }
        guard bare != text, let parts = HostAndPort(bare[...]), IPv4Address(strict: parts.host) != nil else {
            return nil
        }
        return "write an IPv4 address without brackets: \(bare)"
    }

    /// Whether the text is an IPv6 address that nobody has, and is meant as ::1 with a port. Addresses that begin with 96 zero
    /// bits are no longer used (RFC 4291 2.5.5.1).
    package static func isLocalPort(_ text: String) -> Bool {
        portReading(text).flatMap { IPv6Address($0.host) } == .loopback
    }

    /// The address with its zone as a scope. The interface need not exist now.
    ///
    /// - Throws: an error if no interface can have the name.
    package func scoped() throws(ReachabilityError) -> IPAddress {
        guard let zone, case .v6(let address, _) = address else { return self.address }
        guard let scope = Scope(zone) else { throw Scope.impossible(zone, "use the address", "\(address)%\(zone)") }
        return .v6(address, scope: scope)
    }
}

extension Scope {
    /// The error for a name that no interface can have.
    ///
    /// - Parameters:
    ///   - operation: what the client wanted to do with it.
    ///   - object: what the client passed.
    static func impossible(_ name: String, _ operation: String, _ object: String) -> ReachabilityError {
        ReachabilityError(
            .noSuchInterface, operation, object,
            "no interface can be called '\(name)': a name has 1 to 15 bytes, without a slash, a colon or white space")
    }
}

/// A name server in the form in which people write it: an address, and optionally a port other than 53.
package struct ServerText: Hashable, Sendable {
    package let address: String
    package let port: UInt16

    package init?(_ text: String) {
        let parts = HostAndPort(text[...]) ?? HostAndPort(host: text)
        let number = parts.port ?? 53
        // A text that ends in a usual port of a name server is hardly an address.
        guard !AddressText.isLocalPort(text), ![53, 5353].contains(AddressText.portReading(text)?.port) else {
            return nil
        }
        guard number > 0, AddressText(inFull: parts.host) != nil else { return nil }
        (address, port) = (parts.host, number)
    }

    /// How to write a server that is nearly right; nil for any other text.
    package static func hint(_ text: String) -> String? {
        AddressText.portHint(text) ?? AddressText.hint(HostAndPort(text[...])?.host ?? text)
    }
}
