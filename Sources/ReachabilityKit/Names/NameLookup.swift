// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import Netlink
import NetworkFacts

extension KernelAccess {
    /// The verdict on the best of a name's addresses; of equal ones, on the first.
    func verdict(
        on host: NamedHost, addresses: [IPAddress], keys: RoutingKeys
    ) throws(NetlinkError) -> TimedVerdict? {
        try withRouteClient { (routeClient) throws(NetlinkError) in
            let lookup = TargetLookup(routeClient, keys: keys)
            var best: TimedVerdict?
            for address in addresses {
                let found = try lookup.result(for: host.target(for: address))
                if best.map({ found.verdict.flags.rank > $0.verdict.flags.rank }) ?? true { best = found }
                if found.verdict.flags.rank == .reachable { break }
            }
            return best
        }
    }
}

extension NamedHost {
    /// Whether one of the addresses known so far is reachable, so that a lookup need not wait for more.
    func enough(_ namespace: NamespaceContext, _ keys: RoutingKeys) -> @Sendable ([IPAddress]) -> Bool {
        { [weak namespace, self] found in
            let addresses = counted(found)
            guard !addresses.isEmpty else { return false }
            guard let namespace, let routeSource = try? namespace.source() else { return false }
            guard case .netlink(let kernel) = routeSource else {
                let verdicts = try? namespace.udpVerdicts(on: self, addresses: addresses, keys: keys)
                return verdicts?.last?.flags.rank == .reachable
            }
            let timed = try? kernel.verdict(on: self, addresses: addresses, keys: keys)
            return timed?.verdict.flags.rank == .reachable
        }
    }
}

extension Reason {
    /// The reason why a name without addresses is not reachable.
    static func unresolved(_ resolution: Resolution) -> Reason {
        resolution.addresses.isEmpty ? .notResolved(resolution.outcome) : .otherFamily
    }
}

extension ResolutionOutcome {
    /// The outcome as text.
    package var words: String {
        switch self {
        case .addresses: "the name has addresses"
        case .noSuchName: "there is no such name"
        case .noData: "the name exists, but has no addresses"
        case .failed(let status): "the name servers failed to answer: \(status)"
        case .couldNotAsk(let error): "the name servers could not be asked: \(error)"
        case .deadlinePassed: "no name server answered in time"
        case .cancelled: "the lookup was cancelled"
        case .noServerReachable: "none of the name servers can be reached"
        case .noServerConfigured: "no name server is configured"
        case .impossibleName: "it can never resolve"
        }
    }
}
