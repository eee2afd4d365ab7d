// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

@_implementationOnly import CReachabilityLinux

/// A change of a namespace's network, encoded once and sent any number of times. Sending it costs a thousandth of running `ip`,
/// which matters in loops that make hundreds of thousands of changes.
package struct Change: Sendable {
    let message: [UInt8]
    /// The type of the message by which the kernel announces the change.
    let announcedType: UInt16

    /// The bytes of the request, for callers that send it themselves.
    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try unsafe message.withUnsafeBytes(body)
    }

    /// What a change does to its object.
    package enum Verb: Sendable {
        /// Adds the object, which must not exist.
        case add
        /// Adds the object, or replaces it if it exists.
        case replace
        /// Deletes the object, which must exist.
        case delete

        /// NLM_F_ACK, and NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE (linux/netlink.h).
        fileprivate var flags: Int32 {
            switch self {
            case .add: 0x604
            case .replace: 0x504
            case .delete: 0x004
            }
        }
    }

    package init(_ verb: Verb, type: Int, _ body: (inout MessageBuilder) -> Void) {
        var builder = MessageBuilder(capacity: 1024)
        builder.begin(type: Int32(type), flags: verb.flags, sequence: 1)
        body(&builder)
        builder.finish()
        message = builder.bytes
        announcedType = UInt16(type)
    }
}

/// Numbers from the kernel's headers that the core does not use.
private enum Constant {
    // linux/rtnetlink.h
    static let scopeLink: UInt8 = 253, scopeHost: UInt8 = 254, scopeNowhere: UInt8 = 255
    static let protocolStatic: UInt8 = 4
    static let routeExpires = 23
    // linux/fib_rules.h
    static let ruleDestination = 1, rulePriority = 6, ruleMark = 10, ruleTable = 15
    static let actionToTable: UInt8 = 1
    // linux/if_addr.h
    static let withoutDetection: UInt8 = 2
}

extension Change {
    /// A route (struct rtmsg, linux/rtnetlink.h). A unicast route with neither a gateway nor a next hop is on-link.
    ///
    /// - Parameters:
    ///   - gateway: of either family.
    ///   - kind: `.unspecified` deletes a route of any type.
    ///   - lifetime: in seconds, for IPv6 (RTA_EXPIRES).
    package static func route(
        _ verb: Verb, _ prefix: Prefix, via gateway: IPAddress? = nil, through interface: InterfaceIndex? = nil,
        nextHop: UInt32? = nil, kind: RouteDecision.Kind? = nil, table: UInt32 = 254, metric: UInt32? = nil,
        lifetime: UInt32? = nil
    ) -> Change {
        let kind = kind ?? (verb == .delete ? .unspecified : .unicast)
        let isOnLink = gateway == nil && nextHop == nil && kind == .unicast && prefix.base.family == .v4
        // Packets that are delivered to this machine leave by lo.
        let interface = interface ?? (kind == .local && verb != .delete ? .loopback : nil)
        let scope =
            switch verb {
            case .delete: Constant.scopeNowhere
            case .add, .replace: kind == .local ? Constant.scopeHost : isOnLink ? Constant.scopeLink : 0
            }
        return Change(verb, type: Int(verb == .delete ? RTM_DELROUTE : RTM_NEWROUTE)) { message in
            message.append(prefix.base.family.linuxValue)
            message.append(prefix.length)
            message.append(0 as UInt16)  // rtm_src_len, rtm_tos
            message.append(0 as UInt8)  // rtm_table; RTA_TABLE takes its place
            message.append(verb == .delete ? 0 : Constant.protocolStatic)
            message.append(scope)
            message.append(kind.rawValue)
            message.append(0 as UInt32)  // rtm_flags
            message.attribute(RTA_DST, prefix.base)
            message.attribute(RTA_TABLE, table)
            if let gateway, gateway.family == prefix.base.family {
                message.attribute(RTA_GATEWAY, gateway)
            } else if let gateway {
                // struct rtvia begins with the family, as 16 bits in host byte order.
                let family = UInt16(gateway.family.linuxValue)
                message.attribute(
                    RTA_VIA, bytes: unsafe withUnsafeBytes(of: family) { unsafe Array($0) } + gateway.bytes)
            }
            if let interface { message.attribute(RTA_OIF, interface.rawValue) }
            if let nextHop { message.attribute(RTA_NH_ID, nextHop) }
            if let metric { message.attribute(RTA_PRIORITY, metric) }
            if let lifetime { message.attribute(Constant.routeExpires, lifetime) }
        }
    }

    /// A rule that sends packets to a table (struct fib_rule_hdr, linux/fib_rules.h): all packets, those with a mark, or those to
    /// a prefix.
    package static func rule(
        _ verb: Verb, priority: UInt32, table: UInt32, family: AddressFamily = .v4, mark: UInt32? = nil,
        to prefix: Prefix? = nil
    ) -> Change {
        Change(verb, type: Int(verb == .delete ? RTM_DELRULE : RTM_NEWRULE)) { message in
            message.append(family.linuxValue)
            message.append(prefix?.length ?? 0)
            message.append(0 as UInt16)  // src_len, tos
            message.append(0 as UInt8)  // table; FRA_TABLE takes its place
            message.append(0 as UInt16)  // reserved
            message.append(Constant.actionToTable)
            message.append(0 as UInt32)  // flags
            if let prefix { message.attribute(Constant.ruleDestination, prefix.base) }
            message.attribute(Constant.rulePriority, priority)
            message.attribute(Constant.ruleTable, table)
            if let mark { message.attribute(Constant.ruleMark, mark) }
        }
    }

    /// An interface's address with its prefix length (struct ifaddrmsg, linux/if_addr.h).
    ///
    /// - Parameter lifetime: how many seconds the address is valid and preferred (struct ifa_cacheinfo).
    package static func address(
        _ verb: Verb, _ address: LinkAddress, of interface: InterfaceIndex, lifetime: UInt32? = nil
    ) -> Change {
        Change(verb, type: Int(verb == .delete ? RTM_DELADDR : RTM_NEWADDR)) { message in
            message.append(address.address.family.linuxValue)
            message.append(address.length)
            message.append(address.address.family == .v6 ? Constant.withoutDetection : 0)
            message.append(0 as UInt8)  // ifa_scope
            message.append(interface.rawValue)
            message.attribute(IFA_LOCAL, address.address)
            message.attribute(IFA_ADDRESS, address.address)
            guard let lifetime else { return }
            message.attributeHeader(IFA_CACHEINFO, length: 16)
            for value in [lifetime, lifetime, 0, 0] { message.append(value) }
        }
    }
}

// MARK: - Writing

extension MessageBuilder {
    /// All bytes written so far.
    var bytes: [UInt8] {
        withBytes { span in
            var bytes: [UInt8] = []
            for offset in 0..<span.byteCount {
                bytes.append(unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
            return bytes
        }
    }

    /// Appends an attribute of any length, with padding.
    mutating func attribute(_ type: some BinaryInteger, bytes: [UInt8]) {
        append(UInt16(4 + bytes.count))
        append(UInt16(truncatingIfNeeded: type))
        for byte in bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) { append(byte) }
    }

    /// Appends an attribute that consists of others.
    mutating func attribute(_ type: some BinaryInteger, _ others: (inout MessageBuilder) -> Void) {
        var inner = MessageBuilder(capacity: 512)
        others(&inner)
        attribute(type, bytes: inner.bytes)
    }
}
