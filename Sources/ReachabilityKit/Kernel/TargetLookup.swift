// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts

/// Asks the kernel what a target's verdict needs, and no more. Not copyable, so that looking costs no reference counts.
package struct TargetLookup: ~Copyable {
    private let routeClient: RouteClient
    private let keys: RoutingKeys
    private let record: ((LookupRecord) -> Void)?

    /// - Parameter witness: is shown every question and answer; asking is then more detailed, and dearer.
    package init(_ routeClient: RouteClient, keys: RoutingKeys, record: ((LookupRecord) -> Void)? = nil) {
        self.routeClient = routeClient
        self.keys = keys
        self.record = record
    }

    package func verdict(on target: Target) throws(NetlinkError) -> TimedVerdict {
        guard keys.interfaceName == nil else {
            guard let bound = try boundKeys() else { return TimedVerdict(verdict: .unreachable(.interfaceMissing)) }
            return try TargetLookup(routeClient, keys: bound, record: record).verdict(on: target)
        }
        switch target {
        case .address(let address): return try verdict(on: address, for: .target)
        case .pair(let local, let remote): return try verdict(from: local, to: remote)
        case .defaultPath: return try defaultPath(from: nil)
        // A name has addresses only after it was resolved, and then they are asked about.
        case .name: return TimedVerdict(verdict: .unreachable(.refused(.noRoute)))
        }
    }

    /// The keys with a named interface turned into its present number; nil where there is none of that name now.
    package func boundKeys() throws(NetlinkError) -> RoutingKeys? {
        guard let name = keys.interfaceName else { return keys }
        try routeClient.requester.listen()
        guard let index = try routeClient.index(of: name) else { return nil }
        return RoutingKeys(interface: index, mark: keys.mark, userID: keys.userID)
    }

    private func verdict(
        on address: IPAddress, from local: IPAddress? = nil, for purpose: LookupRecord.Purpose
    ) throws(NetlinkError) -> TimedVerdict {
        let query = keys.query(for: address, from: local, socket: try socketValues(for: address, purpose))
        if let record { return try recordedVerdict(on: query, for: purpose, to: record) }
        let timed = try routeClient.verdict(on: query, answer: try routeClient.requester.route(query))
        return purpose == .defaultPath ? timed.asDefaultPath : timed
    }

    /// What a new socket has, as far as it counts for this question. Whose address it is does not depend on the interface
    /// a socket is bound to, unless that stands for a VRF's table (inet_bind_sk in net/ipv4/af_inet.c).
    private func socketValues(
        for address: IPAddress, _ purpose: LookupRecord.Purpose
    ) throws(NetlinkError) -> SocketDefaults.Values {
        var values = routeClient.socketDefaults[address.unmapped.family]
        if purpose == .ownership, let index = values.interface, try routeClient.facts(of: index)?.kind != "vrf" {
            values.interface = nil
        }
        return values
    }

    /// The same verdict, with all that is known of it shown to a witness.
    private func recordedVerdict(
        on query: RouteQuery, for purpose: LookupRecord.Purpose, to record: (LookupRecord) -> Void
    ) throws(NetlinkError) -> TimedVerdict {
        let (answer, details) = try routeClient.requester.routeInDetail(query)
        var link: LinkFacts?
        if case .route(let decision) = answer, let index = decision.interface {
            link = try routeClient.facts(of: index)
        }
        var timed = TimedVerdict(on: query, answer: answer, link: link?.state)
        if purpose == .defaultPath { timed = timed.asDefaultPath }
        record(
            LookupRecord(
                purpose: purpose, query: query, given: keys, answer: answer, details: details, link: link,
                verdict: timed.verdict))
        return timed
    }

    /// What can be sent from a local address: nothing, where it is not ours (configd-453, checkAddress).
    private func verdict(from local: IPAddress, to remote: IPAddress?) throws(NetlinkError) -> TimedVerdict {
        // Whose address it is does not depend on the interface asked for, unless it means something on one link only.
        let ownership = TargetLookup(
            routeClient, keys: RoutingKeys(mark: keys.mark, userID: keys.userID), record: record)
        let owned = try ownership.verdict(on: local, for: .ownership)
        guard owned.verdict.flags.contains(.isLocalAddress) else {
            return TimedVerdict(verdict: .unreachable(.notOurAddress))
        }
        guard let remote else { return owned }
        if remote.unmapped.isUnspecified { return try defaultPath(from: local) }
        guard local.unmapped.family == remote.unmapped.family else {
            return TimedVerdict(verdict: .unreachable(.familiesDiffer))
        }
        // No packet from a loopback address leaves the machine, and the kernel refuses such a question. Apple's macOS
        // takes the local side away instead, and so do we.
        let source = local.unmapped.isLoopback && !remote.unmapped.isLoopback ? nil : local
        return try verdict(on: remote, from: source, for: .target)
    }

    /// The way out in either family: IPv4's if that works, else IPv6's.
    private func defaultPath(from local: IPAddress?) throws(NetlinkError) -> TimedVerdict {
        let source = local.flatMap { $0.unmapped.isLoopback ? nil : $0 }
        var best: TimedVerdict?
        for address in Self.behindDefault where local == nil || local?.unmapped.family == address.family {
            let found = try verdict(on: address, from: source, for: .defaultPath)
            if found.verdict.flags.rank == .reachable { return found }
            if best.map({ found.verdict.flags.rank > $0.verdict.flags.rank }) ?? true { best = found }
        }
        return best ?? TimedVerdict(verdict: .unreachable(.refused(.noRoute)))
    }

    /// One address of each family that only a default route, or what stands for one, can cover.
    ///
    /// The kernel answers for 0.0.0.0 with itself, always; 0.0.0.1 takes the default route, also one that is split in
    /// 0/1 and 128/1 or kept in a policy table (Linux 5.3 and later). For :: the kernel does not choose a source as it
    /// does for other addresses (ipv6_dev_get_saddr takes it for one of the link's own scope), so IPv6 is asked for
    /// 2000::, the first of the global unicast addresses, which 2000::/3 covers too. No packet is ever sent to either.
    package static let behindDefault: [IPAddress] = [
        .v4(IPv4Address(0, 0, 0, 1)), .v6(IPv6Address(high: 0x2000_0000_0000_0000, low: 0)),
    ]
}
