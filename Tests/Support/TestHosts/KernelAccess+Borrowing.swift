// SPDX-License-Identifier: Apache-2.0

import ReachabilityNetlink
package import ReachabilityRoutes
import TestWaiting

extension KernelAccess {
    /// Has so many threads borrow a lookup socket at the same time. Otherwise the pool grows when threads happen to ask at the same
    /// moment, which would disturb a test that counts descriptors.
    ///
    /// Each is borrowed by a thread of its own: one thread must not try to lock what it holds itself (in Swift 6.2 that ends
    /// the process).
    package func lendRouteClients(_ count: Int) throws {
        guard count > 0 else { return }
        try TestThread("borrower") { [self] in
            try withRouteClient { (_) throws(NetlinkError) in Result { try lendRouteClients(count - 1) } }.get()
        }.join()
    }
}
