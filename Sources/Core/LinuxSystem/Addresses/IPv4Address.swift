// SPDX-License-Identifier: Apache-2.0

/// An IPv4 address.
package struct IPv4Address: Hashable, Comparable, Sendable {
    /// The address as a number: 127.0.0.1 is 0x7F000001 on every machine.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        rawValue = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
    }

    package static let any = IPv4Address(rawValue: 0)
    /// 255.255.255.255 (RFC 919).
    package static let broadcast = IPv4Address(rawValue: .max)

    /// 127.0.0.0/8 (RFC 1122 3.2.1.3).
    package var isLoopback: Bool { rawValue >> 24 == 127 }
    /// 169.254.0.0/16 (RFC 3927).
    package var isLinkLocal: Bool { rawValue >> 16 == 0xA9FE }
    /// 224.0.0.0/4 (RFC 5771).
    package var isMulticast: Bool { rawValue >> 28 == 0xE }
    package var isUnspecified: Bool { rawValue == 0 }

    package static func < (left: IPv4Address, right: IPv4Address) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension IPv4Address: CustomStringConvertible {
    package var description: String {
        "\(rawValue >> 24).\(rawValue >> 16 & 0xFF).\(rawValue >> 8 & 0xFF).\(rawValue & 0xFF)"
    }
}

// MARK: - Reading text

extension IPv4Address {
    /// Reads four decimal numbers, as inet_pton(3) does.
    package init?(strict text: some StringProtocol) {
        var value: UInt32 = 0
        var parts = 0
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let digits = part.utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
                digits.count == 1 || digits.first != 48, let octet = UInt8(part)
            else { return nil }
            value = value << 8 | UInt32(octet)
            parts += 1
        }
        guard parts == 4 else { return nil }
        rawValue = value
    }

    /// Reads the forms of inet_aton(3): one to four numbers, each decimal, octal (`0…`) or hexadecimal (`0x…`). The last
    /// number fills all remaining bytes.
    ///
    /// - Parameter ignoringRest: accepts white space with any text after it, as inet_aton does.
    package init?(lenient text: some StringProtocol, ignoringRest: Bool = false) {
        var numbers: [UInt32] = []
        var rest = Substring(text).utf8
        while true {
            guard let number = Self.number(at: &rest) else { return nil }
            numbers.append(number)
            guard rest.first == UInt8(ascii: ".") else { break }
            guard numbers.count < 4 else { return nil }
            rest = rest.dropFirst()
        }
        if let next = rest.first {
            // inet_aton(3) stops at white space.
            guard ignoringRest, next == 32 || (9...13).contains(next) else { return nil }
        }
        guard let last = numbers.popLast(), numbers.allSatisfy({ $0 <= 255 }) else { return nil }
        let bitsLeft = UInt32(32 - 8 * numbers.count)
        guard bitsLeft == 32 || last < 1 << bitsLeft else { return nil }
        var value: UInt32 = 0
        for (position, number) in numbers.enumerated() { value |= number << UInt32(24 - 8 * position) }
        rawValue = value | last
    }

    /// A number of up to 32 bits in C's notation.
    private static func number(at rest: inout Substring.UTF8View) -> UInt32? {
        guard let first = rest.first, (48...57).contains(first) else { return nil }
        var base: UInt64 = 10
        if first == 48 {
            base = 8
            let next = rest.dropFirst()
            if let mark = next.first, mark | 0x20 == UInt8(ascii: "x") {
                base = 16
                rest = next.dropFirst()
                guard let digit = rest.first, Self.digit(digit) < 16 else { return nil }
            }
        }
        var value: UInt64 = 0
        while let character = rest.first {
            let digit = Self.digit(character)
            guard digit < base else { break }
            value = value * base + digit
            guard value <= UInt64(UInt32.max) else { return nil }
            rest = rest.dropFirst()
        }
        return UInt32(value)
    }

    private static func digit(_ character: UInt8) -> UInt64 {
        switch character {
        case 48...57: UInt64(character - 48)
        case 97...102: UInt64(character - 87)
        case 65...70: UInt64(character - 55)
        default: .max
        }
    }
}
