// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Requests for the route that the kernel would take (RTM_GETROUTE, rtnetlink(7)).
///
/// Each destination takes two requests, in one datagram. The plain one returns the hop that is taken. The one for the match
/// returns the route in the table: its prefix, metric and lifetime, and whether it has several hops. Neither tells both.
extension NetlinkRequester {
    /// The number of destinations in a datagram. More bring no gain (measured). A receive queue of the default size holds 256
    /// answers.
    package static var routesInDatagram: Int { largestBatch / 2 }

    /// Asks about at most `routesInDatagram` destinations, and stores what the kernel says of each in the order of the queries.
    package func routes(_ queries: [RouteQuery], into replies: inout [RouteReply]) throws(NetlinkError) {
        precondition(queries.count <= Self.routesInDatagram)
        try askRoutes(queries, into: &replies)
        for number in replies.indices where replies[number].error != nil {
            return try interpretRefusals(queries, &replies)
        }
    }

    @inline(__always)
    private func askRoutes(_ queries: [RouteQuery], into replies: inout [RouteReply]) throws(NetlinkError) {
        replies.removeAll(keepingCapacity: true)
        for _ in queries { replies.append(RouteReply()) }
        try ask(count: 2 * queries.count) { (number, sequence, message) in
            RouteCodec.write(queries[number / 2], match: number & 1 == 1, sequence: sequence, into: &message)
        } read: { (number, error, payload) throws(WireError) in
            let family = queries[number / 2].destination.family
            if let error {
                // If only the request for the match failed, the plain answer is used alone.
                if number & 1 == 0 { replies[number / 2].error = error }
            } else if number & 1 == 0 {
                replies[number / 2].taken = try RouteCodec.read(payload, family: family)
            } else {
                replies[number / 2].match = try RouteCodec.readMatch(payload, family: family)
            }
        }
    }

    /// Finds out what EPERM and EOPNOTSUPP mean. No route of Linux has these errors, but a kernel without IPv6 answers EOPNOTSUPP
    /// to questions about it, and gVisor where it has no route. Throws if all questions are refused.
    @inline(never)
    private func interpretRefusals(_ queries: [RouteQuery], _ replies: inout [RouteReply]) throws(NetlinkError) {
        for (number, query) in queries.enumerated() {
            switch replies[number].error {
            case .notPermitted: throw .refused(.notPermitted)
            case .notSupported:
                if try answersLoopback(query.destination.family) {
                    replies[number].error = .networkUnreachable
                    continue
                }
                if case .v6 = query.destination.family, try answersLoopback(.v4) { continue }
                throw .refused(.notSupported)
            default: break
            }
        }
    }

    private func answersLoopback(_ family: AddressFamily) throws(NetlinkError) -> Bool {
        var replies: [RouteReply] = []
        let loopback: IPAddress = family == .v4 ? .v4(IPv4Address(127, 0, 0, 1)) : .v6(.loopback)
        try askRoutes([RouteQuery(destination: loopback)], into: &replies)
        return replies[0].error != .notSupported
    }
}

/// What the kernel says of one destination.
package struct RouteReply: Sendable {
    fileprivate(set) var taken: RouteDecision?
    fileprivate(set) var match: RouteDecision.Match?
    fileprivate(set) var error: Errno?
    /// Why it was not asked about.
    private var failure: NetlinkError?

    package init() {}

    /// One that was found in another way.
    package init(_ route: RouteDecision) { taken = route }
    package init(error: Errno) { self.error = error }
    package init(failure: NetlinkError) { self.failure = failure }

    package func answer(to query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        if let failure { throw failure }
        if let error {
            guard let refusal = RouteCodec.refusal(error) else { throw .refused(error) }
            return .unreachable(refusal)
        }
        guard var decision = taken else { throw .answersLost }
        decision.match = match
        return RouteCodec.judge(decision, for: query)
    }
}

/// What the routing rules of a family look at beside the destination, the mark and the interfaces (ip-rule(8)).
package struct RoutingRules: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Some rule names source addresses (`from`).
    package static let sources = RoutingRules(rawValue: 1)
    /// Some rule names users (`uidrange`).
    package static let users = RoutingRules(rawValue: 2)
    /// Some rule names a protocol (`ipproto`).
    package static let protocols = RoutingRules(rawValue: 4)
    /// Some rule names the port of the sender (`sport`).
    package static let sourcePorts = RoutingRules(rawValue: 8)
    /// Some rule names the port of the receiver (`dport`).
    package static let destinationPorts = RoutingRules(rawValue: 16)

    /// What rules may look at that cannot be read: everything for which a question is put again. To put it again does no harm.
    package static let unknown: RoutingRules = [.sources, .users, .protocols]
}

extension NetlinkRequester {
    /// What the rules of a family look at (RTM_GETRULE, a dump: nobody can ask for less).
    package func rules(of family: AddressFamily) throws(NetlinkError) -> RoutingRules {
        var found: RoutingRules = []
        do throws(NetlinkError) {
            try dump(attempts: Self.attempts) { (sequence, message) in
                message.begin(type: Int32(RTM_GETRULE), flags: Int32(NLM_F_DUMP), sequence: sequence)
                message.append(
                    clinux_fib_rule_hdr(
                        family: family.linuxValue, dst_len: 0, src_len: 0, tos: 0, table: 0, res1: 0, res2: 0,
                        action: 0,
                        flags: 0))
                message.finish()
            } restart: {
                found = []
            } read: { (type, payload) throws(WireError) in
                if type == UInt16(RTM_NEWRULE) { found.formUnion(try RuleCodec.read(payload)) }
            }
        } catch {
            // The kernel has no rules (CONFIG_IP_MULTIPLE_TABLES), or does not speak the family.
            if case .refused(let errno) = error, [.notSupported, .addressFamilyNotSupported].contains(errno) {
                return []
            }
            // Refused, or the rules change faster than they can be read.
            guard error.isRefusal || error == .answersLost else { throw error }
            return .unknown
        }
        return found
    }
}

/// The wire form of rules (struct fib_rule_hdr and FRA_…, linux/fib_rules.h).
package enum RuleCodec {
    /// Reads what a rule looks at from an RTM_NEWRULE message.
    package static func read(_ payload: RawSpan) throws(WireError) -> RoutingRules {
        let sourceLength: UInt8 = try payload.load(at: 2)
        var rules: RoutingRules = sourceLength > 0 ? .sources : []
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, _) throws(WireError) in
            switch Int(type) {
            case FRA_UID_RANGE: rules.insert(.users)
            case FRA_IP_PROTO: rules.insert(.protocols)
            case FRA_SPORT_RANGE: rules.insert(.sourcePorts)
            case FRA_DPORT_RANGE: rules.insert(.destinationPorts)
            default: break
            }
        }
        return rules
    }
}
