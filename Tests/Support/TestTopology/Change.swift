// SPDX-License-Identifier: Apache-2.0

import CTestTopology
package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// A change to a namespace's network, written once and sent any number of times. Costs a thousandth of running `ip`, for loops
/// that make hundreds of thousands of changes.
package struct Change: Sendable {
    let message: [UInt8]

    /// The bytes of the request, for callers that send it themselves.
    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try unsafe message.withUnsafeBytes(body)
    }

    /// What a change does to its object.
    package enum Verb: Sendable {
        /// It must not exist.
        case add
        /// It is made if it does not exist.
        case replace
        /// It must exist.
        case delete

        fileprivate var flags: Int32 {
            switch self {
            case .add: NLM_F_CREATE | NLM_F_EXCL
            case .replace: NLM_F_CREATE | NLM_F_REPLACE
            case .delete: 0
            }
        }
    }

    fileprivate init(
        _ verb: Verb, new: some BinaryInteger, delete: some BinaryInteger, _ body: (inout MessageBuilder) -> Void
    ) {
        var builder = MessageBuilder()
        let type = verb == .delete ? Int32(delete) : Int32(new)
        builder.begin(type: type, flags: NLM_F_ACK | verb.flags, sequence: 1)
        body(&builder)
        builder.finish()
        var bytes: [UInt8] = []
        builder.withBytes { span in
            for offset in 0..<span.byteCount {
                bytes.append(unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
        }
        message = bytes
    }
}

extension Change {
    /// A route (struct rtmsg, linux/rtnetlink.h). With neither gateway nor next hop a unicast route is on-link.
    ///
    /// - Parameters:
    ///   - gateway: of either family.
    ///   - kind: `.unspecified` deletes a route of any type.
    package static func route(
        _ verb: Verb, _ destination: String, via gateway: String? = nil, through interface: InterfaceIndex? = nil,
        nextHop: UInt32? = nil, kind: RouteDecision.Kind? = nil, table: UInt32 = 254, metric: UInt32? = nil
    ) -> Change {
        let prefix = Prefix(text: destination)
        let gateway = gateway.map(IPAddress.init(text:))
        let kind = kind ?? (verb == .delete ? .unspecified : .unicast)
        let isOnLink = gateway == nil && nextHop == nil && kind == .unicast && prefix.base.family == .v4
        let scope =
            switch verb {
            case .delete: RT_SCOPE_NOWHERE
            case .add, .replace: isOnLink ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE
            }
        return Change(verb, new: RTM_NEWROUTE, delete: RTM_DELROUTE) { message in
            message.append(prefix.base.family.linuxValue)
            message.append(prefix.length)
            message.append(0 as UInt16)  // rtm_src_len, rtm_tos
            message.append(0 as UInt8)  // rtm_table; RTA_TABLE takes its place
            message.append(UInt8(verb == .delete ? RTPROT_UNSPEC : RTPROT_STATIC))
            message.append(UInt8(truncatingIfNeeded: scope.rawValue))
            message.append(kind.rawValue)
            message.append(0 as UInt32)  // rtm_flags
            message.attribute(RTA_DST.rawValue, prefix.base)
            message.attribute(RTA_TABLE.rawValue, table)
            if let gateway, gateway.family == prefix.base.family {
                message.attribute(RTA_GATEWAY.rawValue, gateway)
            } else if let gateway {
                // struct rtvia begins with the family, 16 bits in the machine's order; its end is padded.
                let bytes = gateway.bytes
                message.append(UInt16(6 + bytes.count))
                message.append(UInt16(RTA_VIA.rawValue))
                message.append(UInt16(gateway.family.linuxValue))
                for byte in bytes { message.append(byte) }
                message.append(0 as UInt16)
            }
            if let interface { message.attribute(RTA_OIF.rawValue, interface.rawValue) }
            if let nextHop { message.attribute(RTA_NH_ID.rawValue, nextHop) }
            if let metric { message.attribute(RTA_PRIORITY.rawValue, metric) }
        }
    }

    /// A rule that sends packets to a table (struct fib_rule_hdr, linux/fib_rules.h): all, those with a mark, those to
    /// a prefix.
    package static func rule(
        _ verb: Verb, priority: UInt32, table: UInt32, family: AddressFamily = .v4, mark: UInt32? = nil,
        to destination: String? = nil
    ) -> Change {
        let prefix = destination.map(Prefix.init(text:))
        return Change(verb, new: RTM_NEWRULE, delete: RTM_DELRULE) { message in
            message.append(family.linuxValue)
            message.append(prefix?.length ?? 0)
            message.append(0 as UInt16)  // src_len, tos
            message.append(0 as UInt8)  // table; FRA_TABLE takes its place
            message.append(0 as UInt16)
            message.append(UInt8(FR_ACT_TO_TBL))
            message.append(0 as UInt32)  // flags
            if let prefix { message.attribute(FRA_DST, prefix.base) }
            message.attribute(FRA_PRIORITY, priority)
            message.attribute(FRA_TABLE, table)
            if let mark { message.attribute(FRA_FWMARK, mark) }
        }
    }

    /// A next-hop object (struct nhmsg, linux/nexthop.h). Deleting one needs only its number.
    package static func nextHop(
        _ verb: Verb, _ number: UInt32, via gateway: String? = nil, through interface: InterfaceIndex? = nil
    ) -> Change {
        let gateway = gateway.map(IPAddress.init(text:))
        return Change(verb, new: RTM_NEWNEXTHOP, delete: RTM_DELNEXTHOP) { message in
            message.append(verb == .delete ? 0 : (gateway?.family ?? .v4).linuxValue)
            message.append(0 as UInt8)  // nh_scope
            message.append(UInt8(verb == .delete ? RTPROT_UNSPEC : RTPROT_STATIC))
            message.append(0 as UInt8)
            message.append(0 as UInt32)  // nh_flags
            message.attribute(NHA_ID, number)
            if let gateway { message.attribute(NHA_GATEWAY, gateway) }
            if let interface { message.attribute(NHA_OIF, interface.rawValue) }
        }
    }

    /// An interface's address with its prefix length (struct ifaddrmsg, linux/if_addr.h), such as "10.0.0.1/24".
    package static func address(_ verb: Verb, _ text: String, of interface: InterfaceIndex) -> Change {
        let (address, length) = IPAddress.withLength(text: text)
        return Change(verb, new: RTM_NEWADDR, delete: RTM_DELADDR) { message in
            message.append(address.family.linuxValue)
            message.append(length)
            message.append(UInt8(address.family == .v6 ? IFA_F_NODAD : 0))
            message.append(0 as UInt8)  // ifa_scope
            message.append(interface.rawValue)
            message.attribute(IFA_LOCAL, address)
            message.attribute(IFA_ADDRESS, address)
        }
    }

    /// Brings a link up or takes it down (struct ifinfomsg, linux/rtnetlink.h).
    package static func link(_ interface: InterfaceIndex, up isUp: Bool) -> Change {
        link(interface, flags: isUp ? .up : [], of: .up) { _ in }
    }

    /// Makes a link that is up dormant, or no longer dormant (Documentation/networking/operstates.rst of the kernel). Routes
    /// stay as they are.
    package static func link(_ interface: InterfaceIndex, dormant isDormant: Bool) -> Change {
        link(interface, flags: [], of: []) { message in
            let state: LinkFacts.OperationalState = isDormant ? .dormant : .up
            message.append(5 as UInt16)
            message.append(UInt16(IFLA_OPERSTATE))
            message.append([state.rawValue, 0, 0, 0] as InlineArray<4, UInt8>)
        }
    }

    /// - Parameter counting: ifi_change, which of the flags are set or cleared.
    private static func link(
        _ interface: InterfaceIndex, flags: LinkFacts.Flags, of counting: LinkFacts.Flags,
        _ attributes: (inout MessageBuilder) -> Void
    ) -> Change {
        Change(.delete, new: RTM_NEWLINK, delete: RTM_NEWLINK) { message in
            message.append(0 as UInt32)  // ifi_family, padding, ifi_type
            message.append(interface.rawValue)
            message.append(flags.rawValue)
            message.append(counting.rawValue)
            attributes(&message)
        }
    }
}
