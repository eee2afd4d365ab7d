// SPDX-License-Identifier: Apache-2.0

import Netlink

@testable import ReachabilityKit

extension ReachabilityRef {
    /// Has the kernel's sockets be as many as are kept. The pool of them grows when threads happen to ask at the same
    /// moment, which who counts descriptors cannot foresee.
    func fillInquirerPool() throws {
        let kernel = try namespace.kernel()
        func borrow(_ count: Int) throws(NetlinkError) {
            guard count > 0 else { return }
            try kernel.withRouteClient { (_) throws(NetlinkError) in try borrow(count - 1) }
        }
        try borrow(1 + RouteClientPool.idleLimit)
    }
}
