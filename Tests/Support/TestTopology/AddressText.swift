// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Addresses as tests write them. A mistake in one is a mistake in the test, and traps.
extension IPAddress {
    /// "192.0.2.1", "2001:db8::1".
    package init(text: String) {
        if let address = IPv4Address(strict: text) {
            self = .v4(address)
        } else if let address = IPv6Address(text) {
            self = .v6(address)
        } else {
            preconditionFailure("not an address: \(text)")
        }
    }

    /// "10.0.0.1/24"; without a length, that of a single address.
    static func withLength(text: String) -> (address: IPAddress, length: UInt8) {
        let parts = text.split(separator: "/")
        let address = IPAddress(text: String(parts[0]))
        guard parts.count > 1 else { return (address, address.family == .v4 ? 32 : 128) }
        guard let length = UInt8(parts[1]) else { preconditionFailure("not a prefix length: \(text)") }
        return (address, length)
    }
}

extension Prefix {
    /// "192.0.2.0/24", "2001:db8::/32", or an address for itself alone.
    package init(text: String) {
        let (address, length) = IPAddress.withLength(text: text)
        self.init(address, length: length)
    }
}
