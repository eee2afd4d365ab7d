// SPDX-License-Identifier: Apache-2.0

import Netlink

@testable import ReachabilityKit

extension ReachabilityRef {
    /// Opens as many netlink sockets as the pool keeps. Otherwise the pool grows when threads happen to ask at the same
    /// moment, which would disturb tests that count descriptors.
    func fillRouteClientPool() throws {
        let kernel = try namespace.kernel()
        func borrow(_ count: Int) throws(NetlinkError) {
            guard count > 0 else { return }
            try kernel.withRouteClient { (_) throws(NetlinkError) in try borrow(count - 1) }
        }
        try borrow(1 + RouteClientPool.idleLimit)
    }
}
