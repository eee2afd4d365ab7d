// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

/// How the kernel of a namespace is asked for routes.
package enum RouteSource {
    case netlink(KernelAccess)
    /// Netlink is forbidden, as the error says. Connecting UDP sockets tells less (`UDPLookup`).
    case udp(ReachabilityError)

    /// The netlink sockets.
    ///
    /// - Throws: the error with which netlink is forbidden.
    package func requireNetlink() throws(ReachabilityError) -> KernelAccess {
        switch self {
        case .netlink(let kernel): return kernel
        case .udp(let error): throw error
        }
    }
}

extension NamespaceContext {
    /// The result for a target, by connecting a socket.
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

    /// The verdicts on the addresses of a name, up to the first that is reachable.
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
