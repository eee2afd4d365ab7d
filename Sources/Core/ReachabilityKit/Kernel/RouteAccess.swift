// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// How the kernel of a namespace is asked for routes.
package enum RouteAccess {
    case netlink(KernelAccess)
    /// Netlink is forbidden, as the error says. Connecting UDP sockets tells less (`ConnectedLookup`).
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
    func udpFinding(on target: Target, keys: RoutingKeys) throws(ReachabilityError) -> ConnectedLookup.Finding {
        let outcome: Result<ConnectedLookup.Finding, ReachabilityError>
        do throws(NetlinkError) {
            outcome = try inside { () throws(NetlinkError) in
                Result { () throws(ReachabilityError) in try ConnectedLookup(keys: keys).finding(on: target) }
            }
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
        return try outcome.get()
    }

    /// The best verdict on some targets, by connecting sockets. Nil if there are no targets.
    func udpVerdict(on targets: some Sequence<Target>, keys: RoutingKeys) throws(ReachabilityError) -> Verdict? {
        try targets.bestVerdict { (target) throws(ReachabilityError) in
            TimedVerdict(verdict: try udpFinding(on: target, keys: keys).verdict)
        }?.verdict
    }
}

extension NamespaceContext {
    /// The index of an interface of this namespace by its name; nil if there is none.
    func index(of name: String) -> InterfaceIndex? {
        let found = try? inside { () throws(NetlinkError) in Interfaces.index(of: name) }
        return found.flatMap(\.self).flatMap(InterfaceIndex.init)
    }
}
