// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

extension IPAddress {
    /// The addresses behind the default route of each family, in the order in which they are asked about. The second one decides
    /// where the first says nothing about the way out. No packet is ever sent to any.
    ///
    /// For 0.0.0.0 the kernel always answers with the machine itself. 0.0.0.1 takes the default route, also one that is
    /// split into 0/1 and 128/1 or is in a policy table (Linux 5.3 and later). For :: the kernel does not choose a source
    /// as it does for other addresses (ipv6_dev_get_saddr treats it as link-scoped). So IPv6 uses 2000::, the first global
    /// unicast address, which 2000::/3 covers too.
    ///
    /// A filter of addresses that nobody has may refuse 0.0.0.0/8, and a VPN may have routes for 1/8 to 128/1 alone. The second
    /// addresses are those of the DNS root server A.
    package static let behindDefault: [IPAddress] = [
        .v4(IPv4Address(0, 0, 0, 1)), .v4(IPv4Address(198, 41, 0, 4)),
        .v6(IPv6Address(high: 0x2000_0000_0000_0000, low: 0)),
        .v6(IPv6Address(high: 0x2001_0503_BA3E_0000, low: 0x0000_0000_0002_0030)),
    ]

    /// The address of a family that is asked about first.
    package static func behindDefault(_ family: AddressFamily) -> IPAddress { behindDefault[family == .v4 ? 0 : 2] }

    /// The address of a family that decides where the first one does not.
    package static func farAway(_ family: AddressFamily) -> IPAddress { behindDefault[family == .v4 ? 1 : 3] }
}
