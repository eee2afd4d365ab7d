// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
package import ReachabilityLinuxSystem

/// An IPv4 or IPv6 address.
public protocol IPAddress: Sendable {
    /// Makes an address from its bytes in network order; nil if there are too few or too many.
    init?(_ rawValue: Data, _ interface: NWInterface?)

    /// Reads an address, which may be followed by `%` and the name of an interface. Nothing is resolved.
    init?(_ string: String)

    /// The bytes in network order.
    var rawValue: Data { get }

    /// The interface on whose link the address is valid, if one was given.
    var interface: NWInterface? { get }

    /// Whether packets to it stay on this machine.
    var isLoopback: Bool { get }

    /// Whether the address is valid on one link only.
    var isLinkLocal: Bool { get }

    /// Whether the address is a multicast address.
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

/// An IPv4 address.
public struct IPv4Address: IPAddress, Hashable, CustomDebugStringConvertible {
    package let facts: ReachabilityLinuxSystem.IPv4Address
    /// The interface on whose link the address is valid, if one was given.
    public let interface: NWInterface?

    /// 0.0.0.0.
    public static let any = IPv4Address(0)
    /// 255.255.255.255.
    public static let broadcast = IPv4Address(0xFFFF_FFFF)
    /// 127.0.0.1.
    public static let loopback = IPv4Address(0x7F00_0001)
    /// 224.0.0.1: all hosts on the link.
    public static let allHostsGroup = IPv4Address(0xE000_0001)
    /// 224.0.0.2: all routers on the link.
    public static let allRoutersGroup = IPv4Address(0xE000_0002)
    /// 224.0.0.22: the destination of IGMPv3 reports.
    public static let allReportsGroup = IPv4Address(0xE000_0016)
    /// 224.0.0.251: multicast DNS.
    public static let mdnsGroup = IPv4Address(0xE000_00FB)

    private init(_ number: UInt32) {
        self.init(ReachabilityLinuxSystem.IPv4Address(rawValue: number))
    }

    init(_ facts: ReachabilityLinuxSystem.IPv4Address, _ interface: NWInterface? = nil) {
        self.facts = facts
        self.interface = interface
    }

    /// Makes an address from its four bytes; nil if there are fewer or more.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 4 else { return nil }
        self.init(ReachabilityLinuxSystem.IPv4Address(rawValue: rawValue.reduce(0) { $0 << 8 | UInt32($1) }), interface)
    }

    /// Reads every form that `inet_aton` reads, which may be followed by `%` and the name of an interface.
    public init?(_ string: String) {
        let (text, interface) = splitZone(string)
        guard let address = ReachabilityLinuxSystem.IPv4Address(lenient: text) else { return nil }
        self.init(address, interface)
    }

    /// The four bytes in network order.
    public var rawValue: Data { Data(ReachabilityLinuxSystem.IPAddress.v4(facts).bytes) }
    /// Whether it is in 127.0.0.0/8.
    public var isLoopback: Bool { facts.isLoopback }
    /// Whether it is in 169.254.0.0/16.
    public var isLinkLocal: Bool { facts.isLinkLocal }
    /// Whether it is in 224.0.0.0/4.
    public var isMulticast: Bool { facts.isMulticast }

    /// The address as text.
    public var debugDescription: String { facts.description + interface.zone }
}

/// An IPv6 address.
public struct IPv6Address: IPAddress, Hashable, CustomDebugStringConvertible {
    package let facts: ReachabilityLinuxSystem.IPv6Address
    /// The interface on whose link the address is valid, if one was given.
    public let interface: NWInterface?

    /// ::.
    public static let any = IPv6Address(0, 0)
    /// ::, because IPv6 has no broadcast address.
    public static let broadcast = IPv6Address(0, 0)
    /// ::1.
    public static let loopback = IPv6Address(0, 1)
    /// ff01::1: all nodes on this machine.
    public static let nodeLocalNodes = IPv6Address(0xFF01 << 48, 1)
    /// ff02::1: all nodes on the link.
    public static let linkLocalNodes = IPv6Address(0xFF02 << 48, 1)
    /// ff02::2: all routers on the link.
    public static let linkLocalRouters = IPv6Address(0xFF02 << 48, 2)

    /// The scope of a multicast address (RFC 4291 2.7).
    public enum Scope: UInt8, Sendable {
        /// This machine.
        case nodeLocal = 1
        /// The link.
        case linkLocal = 2
        /// The site.
        case siteLocal = 5
        /// The organization.
        case organizationLocal = 8
        /// Everywhere.
        case global = 0x0E
    }

    private init(_ high: UInt64, _ low: UInt64) {
        self.init(ReachabilityLinuxSystem.IPv6Address(high: high, low: low))
    }

    init(_ facts: ReachabilityLinuxSystem.IPv6Address, _ interface: NWInterface? = nil) {
        self.facts = facts
        self.interface = interface
    }

    /// Makes an address from its sixteen bytes; nil if there are fewer or more.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 16 else { return nil }
        let halves = [rawValue.prefix(8), rawValue.suffix(8)].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
        self.init(ReachabilityLinuxSystem.IPv6Address(high: halves[0], low: halves[1]), interface)
    }

    /// Reads an address, which may be followed by `%` and the name of an interface.
    public init?(_ string: String) {
        let (text, interface) = splitZone(string)
        guard let address = ReachabilityLinuxSystem.IPv6Address(text) else { return nil }
        self.init(address, interface)
    }

    /// The sixteen bytes in network order.
    public var rawValue: Data { Data(ReachabilityLinuxSystem.IPAddress.v6(facts).bytes) }
    /// Whether it is ::.
    public var isAny: Bool { facts == .any }
    /// Whether it is ::1.
    public var isLoopback: Bool { facts.isLoopback }
    /// Whether it has the obsolete form ::a.b.c.d. (The name is misspelled in Apple's interface, too.)
    public var isIPv4Compatabile: Bool { facts.high == 0 && facts.low >> 32 == 0 && facts.low > 1 }
    /// Whether it is ::ffff:a.b.c.d.
    public var isIPv4Mapped: Bool { facts.mappedIPv4 != nil }
    /// The IPv4 address inside one of these two forms; nil for other addresses.
    public var asIPv4: IPv4Address? {
        guard isIPv4Mapped || isIPv4Compatabile else { return nil }
        return IPv4Address(
            ReachabilityLinuxSystem.IPv4Address(rawValue: UInt32(truncatingIfNeeded: facts.low)), interface)
    }
    /// Whether it is in 2002::/16.
    public var is6to4: Bool { facts.high >> 48 == 0x2002 }
    /// Whether it is in fe80::/10.
    public var isLinkLocal: Bool { facts.isLinkLocal }
    /// Whether it is in ff00::/8.
    public var isMulticast: Bool { facts.isMulticast }
    /// Whether it is in fc00::/7.
    public var isUniqueLocal: Bool { facts.high >> 57 == 0xFC >> 1 }
    /// The scope of a multicast address; nil for other addresses and for scopes without a name.
    public var multicastScope: Scope? { isMulticast ? Scope(rawValue: UInt8(facts.high >> 48 & 0xF)) : nil }

    /// The address as text.
    public var debugDescription: String { facts.description + interface.zone }
}
