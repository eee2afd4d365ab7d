// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// What an announcement of the kernel says may have changed. It is never used as an answer.
package enum Announcement: Hashable, Sendable {
    /// A route came, changed or went. Only addresses in its prefix are affected. The prefix of a default route has
    /// length 0.
    case route(Prefix)
    case links
    case addresses
    case rules
    case nextHops
    case configuration
    /// An unknown message. Everything may be affected.
    case other

    /// Reads one multicast message. Returns nil if it affects nothing.
    package static func read(header: MessageHeader, payload: RawSpan) throws(WireError) -> Announcement? {
        switch Int(header.type) {
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): try route(payload)
        case Int(RTM_NEWLINK), Int(RTM_DELLINK): .links
        case Int(RTM_NEWADDR), Int(RTM_DELADDR): .addresses
        case Int(RTM_NEWRULE), Int(RTM_DELRULE): .rules
        case Int(RTM_NEWNEXTHOP), Int(RTM_DELNEXTHOP): .nextHops
        case Int(RTM_NEWNETCONF), Int(RTM_DELNETCONF): .configuration
        case Int(NLMSG_NOOP): nil
        default: .other
        }
    }

    private static func route(_ payload: RawSpan) throws(WireError) -> Announcement? {
        let length: UInt8 = try payload.load(at: 1)
        let flags: UInt32 = try payload.load(at: 8)
        // The clone of a route for one destination, which stores what was learned about the path (path MTU, a redirect
        // within the link). It lives as long as its route. Linux before 4.15 announces it.
        if flags & UInt32(RTM_F_CLONED) != 0 { return nil }
        guard let family = AddressFamily(linuxValue: try payload.load(at: 0)), length <= family.bitCount else {
            return .other
        }
        var destination: IPAddress?
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
            if Int(type) == RTA_DST { destination = try value.address(of: family) }
        }
        if length == 0 { return .route(.all(family)) }
        guard let destination else { return .other }
        return .route(Prefix(destination, length: length))
    }
}
