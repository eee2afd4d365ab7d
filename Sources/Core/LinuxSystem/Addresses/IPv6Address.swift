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
    /// Reads the text forms of RFC 4291 2.2, without a scope.
    package init?(_ text: some StringProtocol) {
        // "::" splits the text into at most two halves. Each half is a list of groups.
        guard let halves = Self.halves(of: Substring(text)),
            let head = Self.groups(in: halves.head, atEnd: halves.tail == nil)
        else { return nil }
        var groups = head
        if let tail = halves.tail {
            guard let last = Self.groups(in: tail, atEnd: true), head.count + last.count < 8 else { return nil }
            groups += repeatElement(0, count: 8 - head.count - last.count) + last
        }
        guard groups.count == 8 else { return nil }
        high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
        low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
    }

    private static func halves(of text: Substring) -> (head: Substring, tail: Substring?)? {
        var index = text.startIndex
        while let colon = text[index...].firstIndex(of: ":") {
            let next = text.index(after: colon)
            if next < text.endIndex, text[next] == ":" {
                return (text[..<colon], text[text.index(after: next)...])
            }
            index = next
        }
        return text.isEmpty ? nil : (text, nil)
    }

    /// The 16-bit groups of one side of "::". An IPv4 address may stand for the last two.
    private static func groups(in text: Substring, atEnd: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (position, part) in parts.enumerated() {
            if atEnd, position == parts.count - 1, part.contains(".") {
                guard let inner = IPv4Address(strict: part) else { return nil }
                groups += [UInt16(inner.rawValue >> 16), UInt16(truncatingIfNeeded: inner.rawValue)]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 43 && $0 != 45 }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups.count <= 8 ? groups : nil
    }
}
