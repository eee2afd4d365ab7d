// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// The wire form of route requests and answers (struct rtmsg and RTA_…, linux/rtnetlink.h).
package enum RouteCodec {
    /// Writes one request.
    ///
    /// - Parameter match: asks for the route in the table (RTM_F_FIB_MATCH) instead of the hop that is taken. A request
    ///   for the hop has RTM_F_LOOKUP_TABLE. Without it every answer names the main table, and the on-link route that the
    ///   kernel invents for an interface without routes would look like a real one.
    package static func write(
        _ query: RouteQuery, match: Bool, sequence: UInt32, into message: inout MessageBuilder
    ) {
        let family = query.destination.family
        message.begin(type: Int32(RTM_GETROUTE), flags: 0, sequence: sequence)
        message.append(
            clinux_rtmsg(
                rtm_family: family.linuxValue, rtm_dst_len: family.bitCount,
                rtm_src_len: query.source == nil ? 0 : family.bitCount, rtm_tos: 0, rtm_table: 0, rtm_protocol: 0,
                rtm_scope: 0, rtm_type: 0, rtm_flags: UInt32(match ? RTM_F_FIB_MATCH : RTM_F_LOOKUP_TABLE)))
        message.attribute(RTA_DST, query.destination)
        if let source = query.source { message.attribute(RTA_SRC, source) }
        if let interface = query.interface { message.attribute(RTA_OIF, interface.rawValue) }
        if let mark = query.mark { message.attribute(RTA_MARK, mark) }
        if let userID = query.userID { message.attribute(RTA_UID, userID) }
        // Without this, the kernel asks as UDP for IPv4 and as no protocol for IPv6 (inet_rtm_getroute, inet6_rtm_getroute).
        message.attribute(RTA_IP_PROTO, short: UInt8(query.transport == .tcp ? IPPROTO_TCP : IPPROTO_UDP))
        if let port = query.port { message.attribute(RTA_DPORT, short: port.bigEndian) }
        message.finish()
    }

    /// Reads the facts that decide from an RTM_NEWROUTE message.
    package static func read(_ payload: RawSpan, family: AddressFamily) throws(WireError) -> RouteDecision {
        var decision = RouteDecision(
            kind: RouteDecision.Kind(rawValue: try payload.load(at: 7)) ?? .unspecified, family: family,
            table: UInt32(try payload.load(UInt8.self, at: 4)))
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
            switch Int(type) {
            case RTA_OIF: decision.interface = InterfaceIndex(try value.load(at: 0))
            case RTA_GATEWAY: decision.gateway = try value.address(of: family)
            case RTA_VIA: decision.gateway = try via(value)
            case RTA_PREFSRC: decision.source = try value.address(of: family)
            case RTA_TABLE: decision.table = try value.load(at: 0)
            default: break
            }
        }
        return decision
    }

    /// Reads the facts that only the route in its table has from an RTM_NEWROUTE message.
    package static func readMatch(_ payload: RawSpan, family: AddressFamily) throws(WireError) -> RouteDecision.Match {
        let prefixLength: UInt8 = try payload.load(at: 1)
        var match = RouteDecision.Match()
        var destination = family == .v4 ? IPAddress.v4(.any) : .v6(.any)
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
            switch Int(type) {
            case RTA_OIF: match.interface = InterfaceIndex(try value.load(at: 0))
            case RTA_DST: destination = try value.address(of: family)
            case RTA_PRIORITY: match.metric = try value.load(at: 0)
            case RTA_CACHEINFO: if case .v6 = family { match.expiresInTicks = try expiry(value) }
            case RTA_NH_ID: match.nextHopID = try value.load(at: 0)
            case RTA_MULTIPATH: match.hasSeveralHops = true
            default: break
            }
        }
        if match.nextHopID != nil, match.interface == nil { match.hasSeveralHops = true }
        match.prefix = Prefix(destination, length: prefixLength)
        return match
    }

    /// Reads struct rtvia: a next hop of any family, such as an IPv6 router for an IPv4 route (RFC 5549).
    private static func via(_ value: RawSpan) throws(WireError) -> IPAddress? {
        let number: UInt16 = try value.load(at: 0)
        guard let family = AddressFamily(linuxValue: UInt8(truncatingIfNeeded: number)) else { return nil }
        return try value.extracting(2..<value.byteCount).address(of: family)
    }

    /// Reads rta_expires of struct rta_cacheinfo: clock ticks from now, 0 for never. It counts for IPv6 only. For IPv4 it is
    /// the expiry of a redirect or path MTU (fnhe_expires in net/ipv4/route.c), which does not change the link.
    private static func expiry(_ value: RawSpan) throws(WireError) -> UInt32? {
        let ticks: Int32 = try value.load(at: 8)
        return ticks > 0 ? UInt32(ticks) : nil
    }

    /// What an error of the kernel says about reachability; nil if nothing.
    package static func refusal(_ error: Errno) -> RouteRefusal? {
        switch error {
        case .networkUnreachable: .noRoute
        case .hostUnreachable: .unreachable
        case .permissionDenied: .prohibited
        case .invalidArgument: .blackhole
        case .addressFamilyNotSupported, .notSupported: .familyUnsupported
        case .noSuchDevice: .noSuchInterface
        default: nil
        }
    }

    /// Turns an answer into a route or a refusal. Some refusals look like routes.
    static func judge(_ decision: RouteDecision, for query: RouteQuery) -> RouteAnswer {
        switch decision.kind {
        // Old IPv6 kernels return the type of the route where newer ones return an error.
        case .blackhole: return .unreachable(.blackhole)
        case .unreachable: return .unreachable(.unreachable)
        case .prohibit: return .unreachable(.prohibited)
        case .throw, .translated, .external, .unspecified: return .unreachable(.noRoute)
        case .unicast, .local, .broadcast, .anycast, .multicast: break
        }
        // If an interface has no route, the kernel answers an IPv4 request for it as if the destination were on-link
        // (fib_lookup fails and ip_route_output_key_hash_rcu goes on without a table). The table is then 0. To a multicast or
        // broadcast address it really sends that way.
        if query.interface != nil, decision.table == 0, decision.kind == .unicast, case .v4 = query.destination {
            return .unreachable(.noRouteOnInterface)
        }
        var decision = decision
        // IPv4 omits the source if it is that of the request (rt_fill_info in net/ipv4/route.c).
        if let source = query.source { decision.source = source }
        return .route(decision)
    }
}

extension MessageBuilder {
    /// Appends an address attribute, in network order.
    package mutating func attribute(_ type: some BinaryInteger, _ address: IPAddress) {
        switch address {
        case .v4(let address):
            attributeHeader(type, length: 4)
            append(address.rawValue.bigEndian)
        case .v6(let address, _):
            attributeHeader(type, length: 16)
            append(address.high.bigEndian)
            append(address.low.bigEndian)
        }
    }
}

extension RawSpan {
    func address(of family: AddressFamily) throws(WireError) -> IPAddress {
        switch family {
        case .v4: .v4(IPv4Address(rawValue: try loadBigEndian(at: 0)))
        case .v6: .v6(IPv6Address(high: try loadBigEndian(at: 0), low: try loadBigEndian(at: 8)))
        }
    }
}

extension AddressFamily {
    package var linuxValue: UInt8 {
        switch self {
        case .v4: UInt8(AF_INET)
        case .v6: UInt8(AF_INET6)
        }
    }

    package var bitCount: UInt8 {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    package init?(linuxValue: UInt8) {
        switch Int32(linuxValue) {
        case AF_INET: self = .v4
        case AF_INET6: self = .v6
        default: return nil
        }
    }
}
