// SPDX-License-Identifier: Apache-2.0

/// The interface to which an IPv6 address belongs (a zone of RFC 4007): the text behind `%`.
///
/// A name is looked up each time the kernel is asked, because an interface that is unplugged and plugged in again has another
/// number under the same name, and one that does not exist yet has none.
package enum Scope: Hashable, Sendable {
    case index(InterfaceIndex)
    case name(InterfaceName)

    /// Reads a number or a name; nil if no interface can have it.
    package init?(_ text: some StringProtocol) {
        if let number = UInt32(text) {
            guard let index = InterfaceIndex(number) else { return nil }
            self = .index(index)
        } else {
            guard let name = InterfaceName(text) else { return nil }
            self = .name(name)
        }
    }

    /// The scope in a sockaddr_in6, where 0 stands for none.
    package init?(number: UInt32) {
        guard let index = InterfaceIndex(number) else { return nil }
        self = .index(index)
    }

    /// The index of the interface; nil if it is named and there is none of that name in the calling thread's namespace.
    package var presentIndex: InterfaceIndex? {
        get throws(Errno) {
            switch self {
            case .index(let index): index
            case .name(let name): try Interfaces.index(of: name.description).flatMap(InterfaceIndex.init)
            }
        }
    }
}

extension Scope: Comparable {
    /// A fixed order: numbers before names.
    package static func < (left: Scope, right: Scope) -> Bool {
        switch (left, right) {
        case (.index(let a), .index(let b)): a < b
        case (.name(let a), .name(let b)): a < b
        case (.index, .name): true
        case (.name, .index): false
        }
    }
}

extension Scope: CustomStringConvertible {
    package var description: String {
        switch self {
        case .index(let index): "\(index.rawValue)"
        case .name(let name): name.description
        }
    }
}

/// The name of an interface: 1 to 15 bytes without white space, `/` or `:` (dev_valid_name in net/core/dev.c). Stored in place,
/// so that an address costs no reference count.
package struct InterfaceName: Hashable, Sendable {
    private let low: UInt64
    private let high: UInt64

    /// Nil if no interface can have this name.
    package init?(_ text: some StringProtocol) {
        let bytes = text.unescapedBytes
        // isspace of the kernel: the ASCII blanks, and 0xA0 in its Latin 1 (lib/ctype.c).
        let refused = [0, UInt8(ascii: "/"), UInt8(ascii: ":"), 9, 10, 11, 12, 13, 32, 0xA0]
        guard (1...15).contains(bytes.count), text != ".", text != "..", !bytes.contains(where: refused.contains) else {
            return nil
        }
        var halves: (UInt64, UInt64) = (0, 0)
        for (position, byte) in bytes.enumerated() {
            if position < 8 {
                halves.0 |= UInt64(byte) << UInt64(8 * position)
            } else {
                halves.1 |= UInt64(byte) << UInt64(8 * (position - 8))
            }
        }
        (low, high) = halves
    }
}

extension InterfaceName: Comparable {
    /// The order of their bytes: text may be equal where its bytes differ (Unicode's canonical equivalence).
    package static func < (left: InterfaceName, right: InterfaceName) -> Bool {
        (left.low.byteSwapped, left.high.byteSwapped) < (right.low.byteSwapped, right.high.byteSwapped)
    }
}

extension InterfaceName: CustomStringConvertible {
    package var description: String {
        let bytes = [low, high].flatMap { half in
            stride(from: 0 as UInt64, to: 64, by: 8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
        return String(escaping: bytes.prefix { $0 != 0 })
    }
}

/// The kernel's index of a network interface; never zero (netdevice(7)).
package struct InterfaceIndex: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    /// Nil for 0, which the kernel uses for "no interface".
    package init?(_ rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// lo, in every namespace (LOOPBACK_IFINDEX in include/net/flow.h).
    package static let loopback = InterfaceIndex(1)!

    package static func < (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}
