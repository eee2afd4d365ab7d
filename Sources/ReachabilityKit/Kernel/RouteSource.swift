// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

/// Who answers: the kernel over netlink, or where that is forbidden, the kernel by connecting a socket.
enum RouteSource {
    case netlink(KernelAccess)
    case udp
}

extension NamespaceContext {
    /// - Throws: where netlink is allowed, and fails all the same.
    func routeSource() throws(ReachabilityError) -> RouteSource {
        do throws(ReachabilityError) {
            return .netlink(try kernel())
        } catch {
            guard error.saysNetlinkIsForbidden else { throw error }
            return .udp
        }
    }

    /// What connecting a socket tells of a target.
    func udpFinding(on target: Target, keys: RoutingKeys) throws(ReachabilityError) -> UDPLookup.Finding {
        let outcome: Result<UDPLookup.Finding, ReachabilityError>
        do throws(NetlinkError) {
            outcome = try inside { () throws(NetlinkError) in
                Result { () throws(ReachabilityError) in try UDPLookup(keys: keys).finding(on: target) }
            }
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
        return try outcome.get()
    }

    /// The verdict on each of a name's addresses in turn, until one ranks highest.
    func udpVerdicts(
        on host: NamedHost, addresses: [IPAddress], keys: RoutingKeys
    ) throws(ReachabilityError) -> [Verdict] {
        var verdicts: [Verdict] = []
        for address in addresses {
            let verdict = try udpFinding(on: host.target(for: address), keys: keys).verdict
            verdicts.append(verdict)
            if verdict.flags.rank == .reachable { break }
        }
        return verdicts
    }
}
