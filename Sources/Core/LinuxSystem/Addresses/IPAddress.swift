// SPDX-License-Identifier: Apache-2.0

/// The family of an address.
package enum AddressFamily: Hashable, Sendable, CaseIterable {
    case v4, v6
}

/// An IPv4 address, or an IPv6 address with its scope: the interface on which it is valid, if it has one.
package enum IPAddress: Hashable, Sendable {
    case v4(IPv4Address)
    case v6(IPv6Address, scope: Scope? = nil)

    package var family: AddressFamily {
        switch self {
        case .v4: .v4
        case .v6: .v6
        }
    }

    package var isUnspecified: Bool {
        switch self {
        case .v4(let address): address.isUnspecified
        case .v6(let address, _): address.isUnspecified
        }
    }

    package var isLoopback: Bool {
        switch self {
        case .v4(let address): address.isLoopback
        case .v6(let address, _): address.isLoopback
        }
    }

    package var isMulticast: Bool {
        switch self {
        case .v4(let address): address.isMulticast
        case .v6(let address, _): address.isMulticast
        }
    }

    /// Whether the address is ambiguous without an interface (RFC 4007; __ipv6_addr_needs_scope_id in include/net/ipv6.h).
    package var needsInterface: Bool {
        if case .v6(let address, _) = self { address.isLinkLocal || address.isLinkScopedMulticast } else { false }
    }

    package var scope: Scope? {
        if case .v6(_, let scope) = self { scope } else { nil }
    }

    /// The IPv4 address if this is ::ffff:a.b.c.d, otherwise the address itself. Sockets treat both alike (RFC 3493 3.7), but
    /// the kernel's IPv6 routing table does not know the mapping.
    package var unmapped: IPAddress {
        if case .v6(let address, _) = self, let inner = address.mappedIPv4 { .v4(inner) } else { self }
    }

    /// This address without a scope.
    package var unscoped: IPAddress { scoped(to: nil) }

    /// An IPv6 address with this interface for its scope; one of IPv4 as it is.
    package func scoped(to interface: InterfaceIndex?) -> IPAddress {
        if case .v6(let address, _) = self { .v6(address, scope: interface.map(Scope.index)) } else { self }
    }
}

extension IPAddress: Comparable {
    /// A fixed order, so that a set of answers does not depend on arrival: IPv6 before IPv4, then by value.
    package static func < (left: IPAddress, right: IPAddress) -> Bool {
        switch (left, right) {
        case (.v6, .v4): true
        case (.v4, .v6): false
        case (.v4(let a), .v4(let b)): a < b
        case (.v6(let a, nil), .v6(let b, nil)): a < b
        case (.v6(let a, let s), .v6(let b, let t)): a != b ? a < b : s.map { s in t.map { s < $0 } ?? false } ?? true
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address, and a scope as `%` and the name or the index of the interface.
    package var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address, nil): address.description
        case .v6(let address, let scope?): "\(address)%\(scope)"
        }
    }
}

extension IPAddress {
    /// An address of four or sixteen bytes in network order, and the index of the interface of an IPv6 address; 0 for none.
    package init(bytes: [UInt8], scope: UInt32 = 0) {
        precondition(bytes.count == 4 || bytes.count == 16, "an address has 4 or 16 bytes")
        if bytes.count == 4 {
            self = .v4(IPv4Address(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
        } else {
            let halves = [bytes[..<8], bytes[8...]].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
            self = .v6(IPv6Address(high: halves[0], low: halves[1]), scope: Scope(number: scope))
        }
    }

    /// The bytes of the address in network order.
    package var bytes: [UInt8] {
        switch self {
        case .v4(let address): withBigEndianBytes(of: address.rawValue)
        case .v6(let address, _): withBigEndianBytes(of: address.high) + withBigEndianBytes(of: address.low)
        }
    }

    private func withBigEndianBytes(of value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

extension IPAddress {
    /// Reads a `sockaddr_in` or `sockaddr_in6` (ip(7), ipv6(7)). Nil for another family or too few bytes.
    ///
    /// Linux's structures have no length field, so the family determines how many bytes are read.
    package init?(socketAddress bytes: RawSpan) {
        guard bytes.byteCount >= 2 else { return nil }
        let family = unsafe bytes.unsafeLoadUnaligned(as: sa_family_t.self)
        switch Int32(family) {
        case AF_INET where bytes.byteCount >= MemoryLayout<sockaddr_in>.size:
            let number = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt32.self)
            self = .v4(IPv4Address(rawValue: UInt32(bigEndian: number)))
        case AF_INET6 where bytes.byteCount >= MemoryLayout<sockaddr_in6>.size:
            let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)
            let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self)
            let scope = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 24, as: UInt32.self)
            self = .v6(
                IPv6Address(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)), scope: Scope(number: scope))
        default:
            return nil
        }
    }

    /// Calls `body` with a `sockaddr_in` or `sockaddr_in6`. The scope's interface is looked up in the calling thread's namespace.
    @unsafe package func withSocketAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
    ) throws(Errno) {
        let (family, length) =
            self.family == .v4 ? (AF_INET, MemoryLayout<sockaddr_in>.size) : (AF_INET6, MemoryLayout<sockaddr_in6>.size)
        let interface = try scope?.presentIndex?.rawValue ?? 0
        var storage = sockaddr_in6()
        try unsafe withUnsafeMutableBytes(of: &storage) { (bytes) throws(Errno) in
            unsafe bytes.storeBytes(of: sa_family_t(family), as: sa_family_t.self)
            unsafe bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            switch self {
            case .v4(let address):
                unsafe bytes.storeBytes(of: address.rawValue.bigEndian, toByteOffset: 4, as: UInt32.self)
            case .v6(let address, _):
                unsafe bytes.storeBytes(of: address.high.bigEndian, toByteOffset: 8, as: UInt64.self)
                unsafe bytes.storeBytes(of: address.low.bigEndian, toByteOffset: 16, as: UInt64.self)
                unsafe bytes.storeBytes(of: interface, toByteOffset: 24, as: UInt32.self)
            }
            try unsafe body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
    }
}
