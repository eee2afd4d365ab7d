// SPDX-License-Identifier: Apache-2.0

/// An IPv6 address, without its scope.
package struct IPv6Address: Hashable, Comparable, Sendable {
    /// The first eight bytes as a number.
    package let high: UInt64
    /// The last eight bytes as a number.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static let any = IPv6Address(high: 0, low: 0)
    package static let loopback = IPv6Address(high: 0, low: 1)

    package var isUnspecified: Bool { high == 0 && low == 0 }
    package var isLoopback: Bool { self == .loopback }
    /// fe80::/10 (RFC 4291 2.4).
    package var isLinkLocal: Bool { high >> 54 == 0x3FA }
    /// ff00::/8.
    package var isMulticast: Bool { high >> 56 == 0xFF }
    /// Multicast of interface-local or link-local scope (RFC 4291 2.7), valid on one link only.
    package var isLinkScopedMulticast: Bool { isMulticast && (high >> 48 & 0xF == 1 || high >> 48 & 0xF == 2) }

    /// The IPv4 address inside ::ffff:a.b.c.d (RFC 4291 2.5.5.2).
    package var mappedIPv4: IPv4Address? {
        high == 0 && low >> 32 == 0xFFFF ? IPv4Address(rawValue: UInt32(truncatingIfNeeded: low)) : nil
    }

    package static func < (left: IPv6Address, right: IPv6Address) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    fileprivate var groups: [UInt16] {
        (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> (48 - 16 * UInt64(index % 4)))
        }
    }
}

extension IPv6Address: CustomStringConvertible {
    /// The canonical form: lower case, no leading zeroes, the longest run of zero groups as `::` (RFC 5952).
    package var description: String {
        if let inner = mappedIPv4 { return "::ffff:\(inner)" }
        let groups = groups
        var longest = 0..<0
        var start = 0
        for end in 0...8 where end == 8 || groups[end] != 0 {
            // A single zero group is not shortened. Of equal runs the first is (RFC 5952 4.2.2, 4.2.3).
            if end - start > max(1, longest.count) { longest = start..<end }
            start = end + 1
        }
        let words = groups.map { String($0, radix: 16) }
        guard !longest.isEmpty else { return words.joined(separator: ":") }
        return words[..<longest.lowerBound].joined(separator: ":") + "::"
            + words[longest.upperBound...].joined(separator: ":")
    }
}

extension IPv6Address {
    /// Reads the text forms of RFC 4291 2.2, without a scope, as inet_pton(3) does.
    package init?(_ text: some StringProtocol) {
        var halves: (UInt64, UInt64) = (0, 0)
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET6, String(text), &halves) == 1 else { return nil }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }
}
