// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink

extension NamedHost {
    /// Whether one of the addresses known so far is reachable, so that a lookup need not wait for more.
    func enough(_ namespace: NamespaceContext, _ keys: RoutingKeys) -> @Sendable ([IPAddress]) -> Bool {
        { [weak namespace, self] found in
            let addresses = counted(found)
            guard !addresses.isEmpty else { return false }
            guard let kernel = try? namespace?.kernel() else { return false }
            let verdict = try? kernel.verdict(on: addresses.lazy.map(target), keys: keys)
            return verdict?.flags.rank == .reachable
        }
    }
}

extension Reason {
    /// The reason why a name without addresses is not reachable.
    static func unresolved(_ resolution: Resolution) -> Reason {
        let isOtherFamily = resolution.outcome == .noData && resolution.query.family != nil
        return resolution.addresses.isEmpty && !isOtherFamily ? .notResolved(resolution.outcome) : .otherFamily
    }
}
