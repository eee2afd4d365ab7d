// SPDX-License-Identifier: Apache-2.0

/// All addresses whose first `length` bits are those of `base`.
package struct Prefix: Hashable, Sendable {
    package let base: IPAddress
    package let length: UInt8

    /// Clears the bits of the base after the length.
    package init(_ base: IPAddress, length: UInt8) {
        self.length = min(length, base.family == .v4 ? 32 : 128)
        self.base = base.masked(to: self.length)
    }

    /// All addresses of a family.
    package static func all(_ family: AddressFamily) -> Prefix {
        Prefix(family == .v4 ? .v4(.any) : .v6(.any), length: 0)
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.family == base.family && address.masked(to: length) == base
    }
}

extension Prefix: CustomStringConvertible {
    package var description: String { "\(base)/\(length)" }
}

extension IPAddress {
    /// The first `length` bits of the address; the others are zero. Has no scope.
    package func masked(to length: UInt8) -> IPAddress {
        switch self {
        case .v4(let address):
            .v4(IPv4Address(rawValue: address.rawValue & leadingOnes(UInt32.self, length)))
        case .v6(let address, _):
            .v6(
                IPv6Address(
                    high: address.high & leadingOnes(UInt64.self, min(length, 64)),
                    low: address.low & leadingOnes(UInt64.self, length > 64 ? length - 64 : 0)))
        }
    }
}

private func leadingOnes<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, _ count: UInt8) -> Value {
    // Swift's shift by the full width yields zero, so no case is special.
    ~(~(0 as Value) >> count)
}
