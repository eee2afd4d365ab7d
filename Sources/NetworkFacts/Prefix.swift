// SPDX-License-Identifier: Apache-2.0

/// The addresses that begin with the same `length` bits as `base`.
package struct Prefix: Hashable, Sendable {
    package let base: IPAddress
    package let length: UInt8

    /// The base's bits past the length are cleared.
    package init(_ base: IPAddress, length: UInt8) {
        self.length = min(length, base.family == .v4 ? 32 : 128)
        self.base = base.masked(to: self.length)
    }

    /// Every address of a family.
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
    /// The address with all but its first `length` bits cleared, and without a scope.
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
    // Swift's shift yields zero when it moves every bit out, so the full width needs no case of its own.
    ~(~(0 as Value) >> count)
}
