// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// An IPv4 address.
public struct IPv4Address: IPAddress, Hashable, CustomDebugStringConvertible {
    private let number: UInt32
    /// The interface on whose link the address is valid, if it names one.
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
        self.number = number
        interface = nil
    }

    init(_ address: LinuxSystem.IPv4Address, _ interface: NWInterface? = nil) {
        number = address.rawValue
        self.interface = interface
    }

    /// Makes an address from its four bytes; nil if there are fewer or more.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 4 else { return nil }
        number = rawValue.reduce(0) { $0 << 8 | UInt32($1) }
        self.interface = interface
    }

    /// Reads every form that `inet_aton` reads, which may be followed by `%` and the name of an interface.
    public init?(_ string: String) {
        let (text, interface) = splitZone(string)
        guard let address = LinuxSystem.IPv4Address(lenient: text) else { return nil }
        self.init(address, interface)
    }

    private var facts: LinuxSystem.IPv4Address { LinuxSystem.IPv4Address(rawValue: number) }

    /// The four bytes in network order.
    public var rawValue: Data { Data(LinuxSystem.IPAddress.v4(facts).bytes) }
    /// Whether it is in 127.0.0.0/8.
    public var isLoopback: Bool { facts.isLoopback }
    /// Whether it is in 169.254.0.0/16.
    public var isLinkLocal: Bool { facts.isLinkLocal }
    /// Whether it is in 224.0.0.0/4.
    public var isMulticast: Bool { facts.isMulticast }

    /// The address as text.
    public var debugDescription: String { facts.description + interface.zone }
}
