// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The order in which a host's addresses are tried (RFC 6724 6). Pure.
///
/// Three of the ten rules are left out. The kernel uses a deprecated source address (rule 3) only if it has no other;
/// mobile IPv6 (rule 4) is not in use; and a program cannot tell whether packets are encapsulated further on (rule 7).
/// Rule 9, the longest common prefix, is applied to IPv6 only, as glibc does for addresses beyond the link: in IPv4 it
/// says nothing about distance.
package struct DestinationSelection: Comparable {
    // Numbers, because tuples of them can be compared. The smaller key is the better address.
    private let key:
        (isUnreachable: Int, scopeDiffers: Int, labelDiffers: Int, negativePrecedence: Int, scope: Int, unlikeBits: Int)

    /// - Parameter source: the address that packets to the destination would be sent from; nil if there is no route.
    package init(_ destination: IPAddress, from source: IPAddress?) {
        let policy = Policy(destination)
        let scope = destination.selectionScope
        guard let source else {
            key = (1, 1, 1, -policy.precedence, scope, 128)
            return
        }
        key = (
            0, scope == source.selectionScope ? 0 : 1, policy.label == Policy(source).label ? 0 : 1,
            -policy.precedence, scope, Self.unlikeBits(destination, source)
        )
    }

    package static func < (left: Self, right: Self) -> Bool { left.key < right.key }
    package static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// The addresses, best first. Equally good ones keep their order (rule 10).
    package static func sorted(_ addresses: [IPAddress], source: (IPAddress) -> IPAddress?) -> [IPAddress] {
        guard addresses.count > 1 else { return addresses }
        let ranked = addresses.enumerated().map { (Self($1, from: source($1)), $0, $1) }
        return ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// How many bits of the network half follow the common prefix. The other half is the interface's own choice and no
    /// measure of distance.
    private static func unlikeBits(_ destination: IPAddress, _ source: IPAddress) -> Int {
        guard case .v6(let one, _) = destination, case .v6(let other, _) = source else { return 0 }
        return 64 - (one.high ^ other.high).leadingZeroBitCount
    }
}

/// An entry of the default policy table (RFC 6724 2.1).
private struct Policy {
    let precedence: Int
    let label: Int

    /// From the longest prefix to the shortest.
    private static let table: [(prefix: Prefix, policy: Policy)] = [
        ("::1", 128, 50, 0), ("::ffff:0:0", 96, 35, 4), ("::", 96, 1, 3), ("2001::", 32, 5, 5), ("2002::", 16, 30, 2),
        ("3ffe::", 16, 1, 12), ("fec0::", 10, 1, 11), ("fc00::", 7, 3, 13), ("::", 0, 40, 1),
    ].map { text, length, precedence, label in
        guard let base = IPv6Address(text) else { fatalError("no address: \(text)") }
        return (Prefix(.v6(base), length: UInt8(length)), Policy(precedence: precedence, label: label))
    }

    private init(precedence: Int, label: Int) {
        self.precedence = precedence
        self.label = label
    }

    init(_ address: IPAddress) {
        // An IPv4 address is looked up as ::ffff:a.b.c.d.
        let mapped: IPAddress =
            switch address.unmapped {
            case .v4(let inner): .v6(IPv6Address(high: 0, low: 0xFFFF_0000_0000 | UInt64(inner.rawValue)))
            case .v6: address.unscoped
            }
        guard let found = Self.table.first(where: { $0.prefix.contains(mapped) }) else {
            preconditionFailure("the last prefix covers everything")
        }
        self = found.policy
    }
}

extension IPAddress {
    /// The address's scope, numbered like multicast scopes (RFC 6724 3.1, 3.2).
    fileprivate var selectionScope: Int {
        let (link, site, global) = (0x2, 0x5, 0xE)
        switch unmapped {
        case .v4(let address): return address.isLinkLocal || address.isLoopback ? link : global
        case .v6(let address, _):
            if address.isMulticast { return Int(address.high >> 48 & 0xF) }
            if address.isLinkLocal || address.isLoopback { return link }
            return address.high >> 54 == 0x3FB ? site : global
        }
    }
}
