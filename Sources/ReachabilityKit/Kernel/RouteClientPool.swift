// SPDX-License-Identifier: Apache-2.0

package import Netlink
import Synchronization

/// Lends route clients, each to one thread at a time.
///
/// Threads that ask at the same moment get a client each, because two clients are twice as fast as one. If no further
/// client can be opened (no descriptors left, or the caller is in another namespace), the caller waits for the first one.
///
/// Not copyable, so that lending costs no reference counts.
package struct RouteClientPool: ~Copyable, Sendable {
    /// How many clients are kept for later. If more threads ask at once, the others open and close their own.
    static let idleLimit = 8

    private let first: Lent
    private let firstLock = Mutex(())
    private let idle = Mutex<[Lent]>([])
    private let open: @Sendable () throws(NetlinkError) -> RouteClient

    /// A client that only one thread uses: it was taken out of the pool, or its lock is held.
    struct Lent: @unchecked Sendable {
        let routeClient: RouteClient
    }

    /// - Parameters:
    ///   - first: the client that always exists.
    ///   - open: makes a further client in the namespace of the first.
    package init(first: sending RouteClient, open: @escaping @Sendable () throws(NetlinkError) -> RouteClient) {
        self.first = Lent(routeClient: first)
        self.open = open
    }

    /// Lends a client to `body`, which may ask the kernel but must not wait for anything else.
    package func withRouteClient<Value: Sendable>(
        _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        let first = first.routeClient
        let value = try firstLock.withLockIfAvailable { (_) throws(NetlinkError) in try body(first) }
        if let value { return value }
        if let lent = idle.withLock({ $0.popLast() }) ?? opened() {
            defer { giveBack(lent) }
            return try body(lent.routeClient)
        }
        return try firstLock.withLock { (_) throws(NetlinkError) in try body(first) }
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
