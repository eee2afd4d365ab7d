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
        var address = in_addr()
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET, String(text), &address) == 1 else { return nil }
        rawValue = UInt32(bigEndian: address.s_addr)
    }

    /// Reads the forms of inet_aton(3): one to four numbers, each decimal, octal (`0…`) or hexadecimal (`0x…`). The last
    /// number fills all remaining bytes.
    ///
    /// - Parameter ignoringRest: accepts white space with any text after it, as inet_aton of glibc does. That of musl does not.
    package init?(lenient text: some StringProtocol, ignoringRest: Bool = false) {
        let numbers = Substring(text).utf8.prefix { $0 != 32 && !(9...13).contains($0) }
        var address = in_addr()
        guard ignoringRest || numbers.count == text.utf8.count, !numbers.contains(0),
            unsafe inet_aton(String(Substring(numbers)), &address) != 0
        else { return nil }
        rawValue = UInt32(bigEndian: address.s_addr)
    }
}
