// SPDX-License-Identifier: Apache-2.0

package import Netlink
import Synchronization

/// Who asks the kernel, lent to one thread at a time.
///
/// Threads that ask at the same moment get one each, since two ask twice as fast as one. Where no further one can be had
/// (no descriptors left, or the caller is in another namespace), the caller waits for the one that always is.
///
/// Not copyable, so that lending one costs no reference counts.
package struct RouteClientPool: ~Copyable, Sendable {
    /// As many as are kept for the next caller; more than this many threads asking at once open and close their own.
    static let idleLimit = 8

    private let home: Lent
    private let homeLock = Mutex(())
    private let idle = Mutex<[Lent]>([])
    private let open: @Sendable () throws(NetlinkError) -> RouteClient

    /// One that whoever holds it is alone with: it was taken out of the pool, or its lock is held.
    struct Lent: @unchecked Sendable {
        let routeClient: RouteClient
    }

    /// - Parameters:
    ///   - first: the one that always is.
    ///   - open: makes a further one, in the namespace of the first.
    package init(first: sending RouteClient, open: @escaping @Sendable () throws(NetlinkError) -> RouteClient) {
        home = Lent(routeClient: first)
        self.open = open
    }

    /// Lends one to `body`, which may ask the kernel and do nothing that could wait.
    package func withRouteClient<Value: Sendable>(
        _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        let home = home.routeClient
        let value = try homeLock.withLockIfAvailable { (_) throws(NetlinkError) in try body(home) }
        if let value { return value }
        if let lent = idle.withLock({ $0.popLast() }) ?? opened() {
            defer { giveBack(lent) }
            return try body(lent.routeClient)
        }
        return try homeLock.withLock { (_) throws(NetlinkError) in try body(home) }
    }

    private func giveBack(_ lent: Lent) {
        idle.withLock { idle in
            if idle.count < Self.idleLimit { idle.append(lent) }
        }
    }

    private func opened() -> Lent? {
        (try? open()).map(Lent.init)
    }
}
