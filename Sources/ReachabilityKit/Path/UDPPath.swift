// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
import NetworkFacts

/// The path where netlink is forbidden: for each family the one link by which packets to a distant address would leave,
/// recognised by their source address. Gateways, other interfaces and the prefix of the address cannot be found out.
extension NamespaceContext {
    func udpPath(servers: [ServerAddress]) throws(ReachabilityError) -> NetworkPath {
        var facts = PathFacts()
        facts.servers = servers
        for address in UDPLookup.farAway {
            let finding = try udpFinding(on: .address(address), keys: RoutingKeys())
            guard finding.verdict.flags.rank > .none, let source = finding.source,
                let link = try udpLink(owning: source)
            else { continue }
            facts.defaults[address.family] = .route(
                RouteDecision(kind: .unicast, interface: link.index, source: source))
            let own = InterfaceAddress(interface: link.index, address: source, prefixLength: nil)
            if let known = facts.candidates.firstIndex(where: { $0.link.index == link.index }) {
                facts.candidates[known].addresses.append(own)
            } else {
                facts.candidates.append(PathFacts.Candidate(link: link, addresses: [own]))
            }
        }
        return NetworkPath(facts)
    }

    private func udpLink(owning source: IPAddress) throws(ReachabilityError) -> LinkFacts? {
        do throws(NetlinkError) {
            return try inside { () throws(NetlinkError) in UDPLookup(keys: RoutingKeys()).link(owning: source) }
        } catch {
            throw ReachabilityError(error, object: "the network path")
        }
    }
}
