// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

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
