// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// An address of a link, and the length of the link's prefix.
package struct LinkAddress: Hashable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var length: UInt8

    package var description: String { "\(address)/\(length)" }

    /// Reads "10.0.0.1/24" or "fd00::1/64".
    package init(reading text: String) throws(MachineError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw .mistake(
                "\"\(text)\" is not the address of a link, which ends with the length of a prefix, as \"10.0.0.1/24\" does."
            )
        }
        address = try IPAddress(reading: String(parts[0]))
        guard let length = UInt8(parts[1]), length <= address.family.bitCount else {
            throw .mistake("\"\(parts[1])\" in \"\(text)\" is not the length of a prefix.")
        }
        self.length = length
    }
}

extension IPAddress {
    /// Reads "192.0.2.1" or "2001:db8::1".
    package init(reading text: String) throws(MachineError) {
        if let address = IPv4Address(strict: text) {
            self = .v4(address)
        } else if let address = IPv6Address(text) {
            self = .v6(address)
        } else {
            throw .mistake("\"\(text)\" is not an address.")
        }
    }
}

extension Prefix {
    /// Reads "192.0.2.0/24" or "2001:db8::/32". An address alone is a prefix of its full length, and "default" is all addresses
    /// of a family.
    package init(reading text: String, default family: AddressFamily = .v4) throws(MachineError) {
        if text == "default" {
            self = .all(family)
        } else if text.contains("/") {
            let read = try LinkAddress(reading: text)
            self.init(read.address, length: read.length)
            guard base == read.address else {
                throw .mistake("\"\(text)\" is not a network, whose address has no bits after the length: \(self) is.")
            }
        } else {
            let address = try IPAddress(reading: text)
            self.init(address, length: address.family.bitCount)
        }
    }
}
