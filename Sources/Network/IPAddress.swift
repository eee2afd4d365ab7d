// SPDX-License-Identifier: Apache-2.0

/// An address of either family.
public protocol IPAddress: Sendable {
    /// Makes an address of its bytes in network order; nil where there are too few or too many.
    init?(_ rawValue: Data, _ interface: NWInterface?)

    /// Reads an address, with `%` and an interface's name behind it where it is meant on that link. Nothing is
    /// resolved.
    init?(_ string: String)

    /// The bytes in network order.
    var rawValue: Data { get }

    /// The interface on whose link the address is meant.
    var interface: NWInterface? { get }

    /// Whether packets to it stay on this machine.
    var isLoopback: Bool { get }

    /// Whether it is valid on one link only.
    var isLinkLocal: Bool { get }

    /// Whether it stands for many hosts.
    var isMulticast: Bool { get }
}

/// Text with the interface behind its last `%`, where it has one. One that does not exist leaves an address without.
func splitZone(_ string: String) -> (address: Substring, interface: NWInterface?) {
    guard let mark = string.lastIndex(of: "%") else { return (string[...], nil) }
    return (string[..<mark], NWInterface(named: String(string[string.index(after: mark)...])))
}

extension NWInterface? {
    /// What stands behind an address.
    var zone: String { map { "%\($0.name)" } ?? "" }
}
