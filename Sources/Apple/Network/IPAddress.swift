// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address.
public protocol IPAddress: Sendable {
    /// Makes an address from its bytes in network order; nil if their number is wrong.
    init?(_ rawValue: Data, _ interface: NWInterface?)

    /// Reads an address, which may be followed by `%` and the name of an interface. Nothing is resolved.
    init?(_ string: String)

    /// The bytes in network order.
    var rawValue: Data { get }

    /// The interface on whose link the address is valid, if it names one.
    var interface: NWInterface? { get }

    /// Whether packets to it stay on this machine.
    var isLoopback: Bool { get }

    /// Whether the address is valid on one link only.
    var isLinkLocal: Bool { get }

    /// Whether the address is that of a group.
    var isMulticast: Bool { get }
}

/// Splits text at its last `%`. The interface is nil if there is no `%`, or no interface of that name.
func splitZone(_ string: String) -> (address: Substring, interface: NWInterface?) {
    guard let mark = string.lastIndex(of: "%") else { return (string[...], nil) }
    return (string[..<mark], NWInterface(named: String(string[string.index(after: mark)...])))
}

extension NWInterface? {
    /// The suffix of an address as text.
    var zone: String { map { "%\($0.name)" } ?? "" }
}
