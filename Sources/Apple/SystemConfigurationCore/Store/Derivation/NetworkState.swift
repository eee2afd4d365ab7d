// SPDX-License-Identifier: Apache-2.0

package import ReachabilityNetlink
package import ReachabilityReferences

/// What is observed of a network namespace at one moment: the ways out, all links and addresses, and the domains that are
/// searched. It has no hints.
package struct NetworkState: Hashable, Sendable {
    package var path: NetworkPath
    package var inventory: NetworkInventory
    /// The domains of resolv.conf, in order.
    package var searchDomains: [String]

    package init(path: NetworkPath = NetworkPath(), inventory: NetworkInventory = .init(), searchDomains: [String] = [])
    {
        self.path = path.withoutHints
        self.inventory = inventory
        self.searchDomains = searchDomains
    }
}
