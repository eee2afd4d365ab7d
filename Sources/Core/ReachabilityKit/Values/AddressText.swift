// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// An address as text, before its scope has been looked up.
package struct AddressText: Hashable, Sendable {
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

    /// The address with its zone as a scope.
    ///
    /// - Parameter indexOf: finds an interface by its name.
    package func resolved(
        indexOf: (String) -> InterfaceIndex?
    ) throws(ReachabilityError) -> IPAddress {
        guard let zone, case .v6(let address, _) = address else { return self.address }
        guard let index = UInt32(zone).flatMap(InterfaceIndex.init) ?? indexOf(zone) else {
            throw Self.noInterface(zone, for: self.address)
        }
        return .v6(address, scope: index)
    }

    static func noInterface(_ zone: String, for address: IPAddress) -> ReachabilityError {
        ReachabilityError(
            .noSuchInterface, "use the address", "\(address.unscoped)%\(zone)", "there is no interface '\(zone)'")
    }
}
