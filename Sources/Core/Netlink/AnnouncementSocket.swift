// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Carries announcements: the kernel's socket, or a script in a test.
package protocol AnnouncementTransport: AnyObject, Sendable {
    /// Readable when there is something to receive.
    var rawDescriptor: Int32 { get }
    /// False if it is told of no changes.
    var isTold: Bool { get }
    /// Receives one datagram (see ``NetlinkSocket``).
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> (length: Int, sender: UInt32)
    /// Drops the announcements of routes that contain none of these addresses, from now on; with nil, none.
    func pass(only addresses: [IPAddress]?) throws(Errno)
}

extension NetlinkSocket: AnnouncementTransport {
    /// Opens a socket in the namespace of the calling thread, which is told of every change there.
    ///
    /// - Parameter announcementQueueBytes: the kernel raises this to its minimum.
    package convenience init(announcementQueueBytes: Int32) throws(Errno) {
        try self.init(groups: NotificationGroup.allCases.mask)
        try setReceiveBuffer(bytes: announcementQueueBytes)
    }

    package func pass(only addresses: [IPAddress]?) throws(Errno) {
        guard let addresses else { return try detachFilter() }
        try attachFilter(RouteFilter.program(watching: addresses))
    }
}

/// Receives the kernel's announcements of changes in one namespace. Used on one thread.
package final class AnnouncementSocket {
    /// What was read of the queue at once, beside the announcements.
    package struct Tally: Hashable, Sendable {
        package var events = 0
        package var foreignSenders = 0
        /// False if announcements were lost, cut off or unreadable, and the queue was found empty since. Then anything may have
        /// changed.
        package var isComplete = true
        package var overruns = 0
        /// Whether the queue was found empty. Otherwise there may be more announcements in it.
        package var isAtEnd = false
    }

    /// The requested size of the queue. It holds the burst of a busy container host. A larger queue would only make the
    /// burst more expensive to read, and lost announcements do no harm.
    package static let queueBytes: Int32 = 1 << 20

    /// How many announcements are read before those who are concerned by one are told.
    package static let largestPart = 128

    private let transport: any AnnouncementTransport
    /// False if it is told of no changes.
    package var isTold: Bool { transport.isTold }
    private let buffer = ReceiveBuffer(capacity: 8 << 10)
    /// Whether announcements were lost, cut off or unreadable since the queue was found empty.
    private var hasLost = false

    package init(_ transport: any AnnouncementTransport) { self.transport = transport }

    package var rawDescriptor: Int32 { transport.rawDescriptor }

    /// Attaches a filter that drops announcements of routes that contain none of these addresses, in place of another one. If
    /// the kernel refuses it, the other one stays attached (sk_attach_filter in net/core/filter.c). What is in the queue already
    /// stays there.
    package func watch(only addresses: [IPAddress]) throws(Errno) {
        try transport.pass(only: addresses)
    }

    /// Removes the filter, so that every announcement passes.
    package func watchEverything() throws(Errno) {
        try transport.pass(only: nil)
    }

    /// Empties the queue, or reads a part of it: in an endless burst it may never be empty.
    ///
    /// After an overrun the kernel silently drops announcements until the queue was found empty (netlink_overrun in
    /// net/netlink/af_netlink.c). Only answers that are asked for after that are newer than everything that was lost.
    package func drain(_ body: (Announcement) -> Void) throws(Errno) -> Tally {
        var tally = Tally()
        while tally.events < Self.largestPart {
            let datagram: (length: Int, sender: UInt32)
            do throws(Errno) {
                datagram = try unsafe transport.receive(into: buffer.storage)
            } catch {
                switch error {
                case .wouldBlock:
                    (tally.isComplete, tally.isAtEnd, hasLost) = (!hasLost, true, false)
                    return tally
                case .noBufferSpace:
                    tally.overruns += 1
                    hasLost = true
                    continue
                default: throw error
                }
            }
            guard datagram.sender == 0 else {
                tally.foreignSenders += 1
                continue
            }
            tally.events += 1
            do throws(WireError) {
                unsafe buffer.lengths.pointee = UInt32(datagram.length)
                let isWhole = try buffer.read(0, of: 1) { (bytes) throws(WireError) in
                    try WireReader.forEachMessage(in: bytes) { (header, payload) throws(WireError) in
                        if let announcement = try Announcement.read(header: header, payload: payload) {
                            body(announcement)
                        }
                    }
                }
                if !isWhole { hasLost = true }
            } catch {
                hasLost = true
            }
        }
        return tally
    }
}

/// What an announcement of the kernel says may have changed. It is never used as an answer.
package enum Announcement: Hashable, Sendable {
    /// A route came, changed or went. Only addresses in its prefix are affected. The prefix of a default route has
    /// length 0.
    case route(Prefix, isDeleted: Bool = false)
    case links
    /// An address came, changed or went, or a router has advertised it. Then its routes may end sooner, or one that has ended may count
    /// again, which the kernel does not announce (ndisc_router_discovery in net/ipv6/ndisc.c, addrconf_prefix_rcv in
    /// net/ipv6/addrconf.c).
    case addresses
    case rules
    case nextHops
    case configuration
    /// An unknown message. Everything may be affected.
    case other

    /// Reads one multicast message. Returns nil if it affects nothing.
    package static func read(header: MessageHeader, payload: RawSpan) throws(WireError) -> Announcement? {
        switch Int(header.type) {
        case Int(RTM_NEWROUTE): try route(payload, isDeleted: false)
        case Int(RTM_DELROUTE): try route(payload, isDeleted: true)
        case Int(RTM_NEWLINK), Int(RTM_DELLINK): .links
        case Int(RTM_NEWADDR), Int(RTM_DELADDR): .addresses
        case Int(RTM_NEWRULE), Int(RTM_DELRULE): .rules
        case Int(RTM_NEWNEXTHOP), Int(RTM_DELNEXTHOP): .nextHops
        case Int(RTM_NEWNETCONF), Int(RTM_DELNETCONF): .configuration
        case Int(NLMSG_NOOP): nil
        default: .other
        }
    }

    private static func route(_ payload: RawSpan, isDeleted: Bool) throws(WireError) -> Announcement {
        let length: UInt8 = try payload.load(at: 1)
        guard let family = AddressFamily(linuxValue: try payload.load(at: 0)), length <= family.bitCount else {
            return .other
        }
        var destination: IPAddress?
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
            if Int(type) == RTA_DST { destination = try value.address(of: family) }
        }
        if length == 0 { return .route(.all(family), isDeleted: isDeleted) }
        guard let destination else { return .other }
        return .route(Prefix(destination, length: length), isDeleted: isDeleted)
    }
}

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

extension [NotificationGroup] {
    /// A bit for each. All have numbers up to 32, so a mask holds them (struct sockaddr_nl, netlink(7)). Kernels before Linux 5.3
    /// have no next-hop objects to announce.
    package var mask: UInt32 { reduce(0) { $0 | 1 << ($1.number - 1) } }
}
