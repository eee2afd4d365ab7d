// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// The ten groups in which the kernel announces everything that can change the answer of a route lookup or the state of a
/// link.
///
/// This was measured for each kind of change. The IPv4 routes that go with a link set down are announced on LINK only, a
/// deleted next-hop object on NEXTHOP only, and a sysctl that changes answers on NETCONF only. One change is announced
/// nowhere: the expiry of an IPv6 route. The lifetime of the route tells it beforehand.
package enum NotificationGroup: CaseIterable, Sendable {
    case link
    case ipv4Address, ipv6Address
    case ipv4Route, ipv6Route
    case ipv4Rule, ipv6Rule
    case nextHop
    case ipv4Configuration, ipv6Configuration

    package var number: UInt32 {
        switch self {
        case .link: UInt32(RTNLGRP_LINK)
        case .ipv4Address: UInt32(RTNLGRP_IPV4_IFADDR)
        case .ipv6Address: UInt32(RTNLGRP_IPV6_IFADDR)
        case .ipv4Route: UInt32(RTNLGRP_IPV4_ROUTE)
        case .ipv6Route: UInt32(RTNLGRP_IPV6_ROUTE)
        case .ipv4Rule: UInt32(RTNLGRP_IPV4_RULE)
        case .ipv6Rule: UInt32(RTNLGRP_IPV6_RULE)
        case .nextHop: UInt32(RTNLGRP_NEXTHOP)
        case .ipv4Configuration: UInt32(RTNLGRP_IPV4_NETCONF)
        case .ipv6Configuration: UInt32(RTNLGRP_IPV6_NETCONF)
        }
    }

}

/// How much of what it wants to hear a socket is told.
package enum Hearing: Sendable {
    case nothing, something, everything
}

extension NetlinkSocket {
    /// Joins groups, all ten by default, as far as it may. The kernel says EINVAL to a group that it does not have
    /// (netlink_setsockopt in net/netlink/af_netlink.c). Kernels before Linux 5.3 have no next-hop objects to announce, so
    /// nothing is missed there.
    package func join(_ groups: [NotificationGroup] = NotificationGroup.allCases) throws(Errno) -> Hearing {
        guard isBound else { return groups.isEmpty ? .everything : .nothing }
        var missed = 0
        for group in groups {
            do throws(Errno) {
                try join(group: group.number)
            } catch {
                guard error.isRefusal || error == .invalidArgument else { throw error }
                if !(group == .nextHop && error == .invalidArgument) { missed += 1 }
            }
        }
        return missed == 0 ? .everything : missed < groups.count ? .something : .nothing
    }
}
