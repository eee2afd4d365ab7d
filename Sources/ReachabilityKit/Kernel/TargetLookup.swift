// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts

/// Asks the kernel for what the verdict on a target needs. Not copyable, so that a lookup costs no reference counts.
package struct TargetLookup: ~Copyable {
    private let routeClient: RouteClient
    private let keys: RoutingKeys
    private let record: ((LookupRecord) -> Void)?

    /// - Parameter record: receives every question and answer. The questions are then more detailed, and cost more.
    package init(_ routeClient: RouteClient, keys: RoutingKeys, record: ((LookupRecord) -> Void)? = nil) {
        self.routeClient = routeClient
        self.keys = keys
        self.record = record
    }

    package func result(for target: Target) throws(NetlinkError) -> TimedVerdict {
        guard keys.interfaceName == nil else {
            guard let bound = try boundKeys() else { return TimedVerdict(verdict: .unreachable(.interfaceMissing)) }
            return try TargetLookup(routeClient, keys: bound, record: record).result(for: target)
        }
        switch target {
        case .address(let address): return try ask(about: address, for: .target)
        case .pair(let local, let remote): return try askPair(from: local, to: remote)
        case .defaultPath: return try askDefaultPath(from: nil)
        case .defaultPathOf(let family): return try ask(about: Self.behindDefault(family), for: .defaultPath)
        // The addresses of a name are asked about one by one.
        case .name: return TimedVerdict(verdict: .unreachable(.refused(.noRoute)))
        }
    }

    /// The keys with the present index of a named interface; nil if there is no interface of that name now.
    package func boundKeys() throws(NetlinkError) -> RoutingKeys? {
        guard let name = keys.interfaceName else { return keys }
        try routeClient.requester.listen()
        guard let index = try routeClient.index(of: name) else { return nil }
        return RoutingKeys(interface: index, mark: keys.mark, userID: keys.userID)
    }

    private func ask(
        about address: IPAddress, from local: IPAddress? = nil, for purpose: LookupRecord.Purpose
    ) throws(NetlinkError) -> TimedVerdict {
        let query = keys.query(for: address, from: local, socket: try socketValues(for: address, purpose))
        if let record { return try askInDetail(query, for: purpose, record) }
        let timed = try routeClient.judge(try routeClient.requester.route(query), to: query)
        return purpose == .defaultPath ? timed.asDefaultPath : timed
    }

    /// The values of a new socket that matter for a question. The ownership of an address does not depend on the interface
    /// to which a socket is bound, unless that is a VRF (inet_bind_sk in net/ipv4/af_inet.c).
    private func socketValues(
        for address: IPAddress, _ purpose: LookupRecord.Purpose
    ) throws(NetlinkError) -> SocketDefaults.Values {
        var values = routeClient.socketDefaults[address.unmapped.family]
        if purpose == .ownership, let index = values.interface, try routeClient.facts(of: index)?.kind != "vrf" {
            values.interface = nil
        }
        return values
    }

    /// The same verdict, with a record of all facts.
    private func askInDetail(
        _ query: RouteQuery, for purpose: LookupRecord.Purpose, _ record: (LookupRecord) -> Void
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

    /// What can be sent from a local address. Nothing can if it is not an address of this machine (configd-453,
    /// checkAddress).
    private func askPair(from local: IPAddress, to remote: IPAddress?) throws(NetlinkError) -> TimedVerdict {
        // The ownership of an address does not depend on the requested interface.
        let ownership = TargetLookup(
            routeClient, keys: RoutingKeys(mark: keys.mark, userID: keys.userID), record: record)
        let owned = try ownership.ask(about: local, for: .ownership)
        guard owned.verdict.flags.contains(.isLocalAddress) else {
            return TimedVerdict(verdict: .unreachable(.notOurAddress))
        }
        guard let remote else { return owned }
        if remote.unmapped.isUnspecified { return try askDefaultPath(from: local) }
        guard local.unmapped.family == remote.unmapped.family else {
            return TimedVerdict(verdict: .unreachable(.familiesDiffer))
        }
        // No packet from a loopback address leaves the machine, and the kernel refuses such a question. macOS ignores the
        // local address then, and so does this package.
        let source = local.unmapped.isLoopback && !remote.unmapped.isLoopback ? nil : local
        return try ask(about: remote, from: source, for: .target)
    }

    /// The default path: that of IPv4 if it works, otherwise that of IPv6.
    private func askDefaultPath(from local: IPAddress?) throws(NetlinkError) -> TimedVerdict {
        let source = local.flatMap { $0.unmapped.isLoopback ? nil : $0 }
        var best: TimedVerdict?
        for address in Self.behindDefault where local == nil || local?.unmapped.family == address.family {
            let found = try ask(about: address, from: source, for: .defaultPath)
            if found.verdict.flags.rank == .reachable { return found }
            if best.map({ found.verdict.flags.rank > $0.verdict.flags.rank }) ?? true { best = found }
        }
        return best ?? TimedVerdict(verdict: .unreachable(.refused(.noRoute)))
    }

    /// One address of each family that only a default route, or a replacement of one, covers.
    ///
    /// For 0.0.0.0 the kernel always answers with the machine itself. 0.0.0.1 takes the default route, also one that is
    /// split into 0/1 and 128/1 or is in a policy table (Linux 5.3 and later). For :: the kernel does not choose a source
    /// as it does for other addresses (ipv6_dev_get_saddr treats it as link-scoped). So IPv6 uses 2000::, the first global
    /// unicast address, which 2000::/3 covers too. No packet is ever sent to either.
    package static let behindDefault: [IPAddress] = [
        .v4(IPv4Address(0, 0, 0, 1)), .v6(IPv6Address(high: 0x2000_0000_0000_0000, low: 0)),
    ]

    static func behindDefault(_ family: AddressFamily) -> IPAddress { behindDefault[family == .v4 ? 0 : 1] }
}
