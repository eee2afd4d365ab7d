// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The ten groups in which the kernel announces everything that can change a route lookup's answer or a link's state.
///
/// Measured, change by change: an admin-down tells IPv4's lost routes on LINK only, a deleted next-hop object on
/// NEXTHOP only, a sysctl that changes answers on NETCONF only. The one change announced nowhere is the expiry of an
/// IPv6 route, which its own lifetime tells beforehand.
package enum NotificationGroup: CaseIterable, Sendable {
    case link
    case ipv4Address, ipv6Address
    case ipv4Route, ipv6Route
    case ipv4Rule, ipv6Rule
    case nextHop
    case ipv4Configuration, ipv6Configuration

    package var number: UInt32 {
        switch self {
        case .link: UInt32(RTNLGRP_LINK.rawValue)
        case .ipv4Address: UInt32(RTNLGRP_IPV4_IFADDR.rawValue)
        case .ipv6Address: UInt32(RTNLGRP_IPV6_IFADDR.rawValue)
        case .ipv4Route: UInt32(RTNLGRP_IPV4_ROUTE.rawValue)
        case .ipv6Route: UInt32(RTNLGRP_IPV6_ROUTE.rawValue)
        case .ipv4Rule: UInt32(RTNLGRP_IPV4_RULE.rawValue)
        case .ipv6Rule: UInt32(RTNLGRP_IPV6_RULE.rawValue)
        case .nextHop: UInt32(RTNLGRP_NEXTHOP.rawValue)
        case .ipv4Configuration: UInt32(RTNLGRP_IPV4_NETCONF.rawValue)
        case .ipv6Configuration: UInt32(RTNLGRP_IPV6_NETCONF.rawValue)
        }
    }

    /// Whether the kernel must have this group. Next-hop objects came with Linux 5.3; a kernel without them has none
    /// to announce.
    package var isOptional: Bool { self == .nextHop }
}
