// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink
import NetworkFacts
package import Synchronization

/// The open sockets through which this process asks the kernel of one namespace.
///
/// A thread that holds one of them must not end, so each function that may take one disables cancellation around the
/// whole operation (`withoutCancellation`).
package final class KernelAccess: Sendable {
    package let routingGeneration: RoutingGeneration
    private let routeClients: RouteClientPool
    package let socketDefaults: SocketDefaults
    /// The fork epoch of the process that may use these sockets.
    package let epoch: UInt64

    /// Opens the sockets in the namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - readDefaults: reads the values of new sockets there.
    ///   - reopen: opens a further requester in the same namespace, on any thread.
    package init(
        deviceTypes: DeviceTypes, socketDefaults readDefaults: () throws(Errno) -> SocketDefaults,
        reopen: @escaping @Sendable () throws(NetlinkError) -> NetlinkRequester
    ) throws(NetlinkError) {
        ForkEpoch.observe()
        epoch = ForkEpoch.current
        do throws(Errno) {
            routingGeneration = try RoutingGeneration()
        } catch {
            throw .system(.open, error)
        }
        let requester = try NetlinkRequester()
        let socketDefaults: SocketDefaults
        do throws(Errno) {
            socketDefaults = try readDefaults()
        } catch {
            throw .system(.openProbe, error)
        }
        self.socketDefaults = socketDefaults
        routeClients = RouteClientPool(first: RouteClient(requester, deviceTypes, socketDefaults)) {
            () throws(NetlinkError) in RouteClient(try reopen(), deviceTypes, socketDefaults)
        }
    }

    package var isUsable: Bool { epoch == ForkEpoch.current }

    /// Lends a route client to `body`, which may ask the kernel but must not wait for anything else.
    @inline(__always)
    package func withRouteClient<Value: Sendable>(
        _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        try withoutCancellation { () throws(NetlinkError) in
            refreshSocketDefaults(at: SystemTime().now())
            return try routeClients.withRouteClient(body)
        }
    }

    /// Reads the values of new sockets again if they are old. If they have changed, no kept answer counts any more.
    package func refreshSocketDefaults(at now: BootTime) {
        if socketDefaults.refresh(at: now) { routingGeneration.advance() }
    }

    // MARK: Keeping answers

    /// The last generation for which every announced change has been made.
    private let settledGeneration = Atomic<UInt64>(0)
    /// When that was found out.
    private let settledAt = Atomic<UInt64>(0)
    /// The last generation for which `isSettled` was called.
    private let metGeneration = Atomic<UInt64>(0)

    /// Whether every change that was announced before a generation has been made. An answer to a later question may be
    /// kept under that generation.
    ///
    /// The kernel announces some changes before it makes them, inside the same call: a deleted IPv4 route
    /// (fib_table_delete in net/ipv4/fib_trie.c), a deleted next-hop object, and a link that goes down, whose routes it
    /// then removes. An answer in between is the old one, and no further announcement follows. These changes are made
    /// under the RTNL lock, and a request for a link waits for that lock. When it has been answered, the changes have been
    /// made. The request costs twice a route lookup, so it is sent only when a generation is met for the second time.
    /// During a storm each is met once, and no answer could be used again anyway.
    ///
    /// For IPv6 routes the lock proves nothing, because since Linux 6.16 they change without it. A deleted IPv6 route is
    /// announced after it was removed (fib6_del_route in net/ipv6/ip6_fib.c), so it needs no proof. A new one is announced
    /// before lookups find it (fib6_add_rt2node sets RTN_RTINFO last); see `lookupDelay`.
    private func isSettled(_ generation: UInt64) throws(NetlinkError) -> Bool {
        if settledGeneration.load(ordering: .acquiring) == generation { return true }
        guard metGeneration.exchange(generation, ordering: .acquiringAndReleasing) == generation else { return false }
        try routeClients.withRouteClient { (routeClient) throws(NetlinkError) in
            // Any link will do. The loopback interface has number 1 in every namespace.
            _ = try routeClient.requester.link(InterfaceIndex(1)!)
        }
        // Never less than before: another thread may have found out about a later generation since the clock was read.
        settledAt.max(SystemTime().now().nanoseconds, ordering: .relaxed)
        settledGeneration.store(generation, ordering: .releasing)
        return true
    }

    /// For how many nanoseconds after an announcement IPv6 answers are not kept.
    ///
    /// Between the announcement of an IPv6 route and its appearance the kernel holds a spinlock with softirqs disabled.
    /// That takes some microseconds, unless a hypervisor takes the processor away. Some tests set the delay to 0.
    package let lookupDelay = Atomic<UInt64>(100_000_000)

    /// The flags in a cache, if they are proved to be the kernel's present answer. This is the whole cost of a repeated
    /// question while nothing changes.
    @inline(__always)
    package func provenFlags(in cache: borrowing VerdictCache, tag: UInt64 = 0) -> ReachabilityFlags? {
        guard isUsable, let entry = cache.load(), entry.generation == routingGeneration.current, entry.tag == tag,
            // Compared again afterwards, because another thread may have emptied the queue just before it was found idle.
            routingGeneration.idleCheck.isIdle, entry.generation == routingGeneration.current,
            entry.deadline == VerdictCache.Entry.never || SystemTime().now().nanoseconds < entry.deadline
        else { return nil }
        return entry.flags
    }

    /// Asks the kernel, and keeps the answer if a later change of it is sure to be noticed.
    ///
    /// - Parameters:
    ///   - mayExpire: whether the answer may contain an IPv6 route, which may expire or may have been announced too early.
    ///     The clock is read only then.
    ///   - tag: the serial number of the resolution from which the answer is made; 0 for an address.
    ///   - ask: asks the kernel.
    @inline(__always)
    func askAndKeep(
        in cache: borrowing VerdictCache, mayExpire: Bool = true, tag: UInt64 = 0,
        _ ask: () throws(NetlinkError) -> TimedVerdict?
    ) throws(NetlinkError) -> TimedVerdict? {
        let now = mayExpire ? SystemTime().now().nanoseconds : 0
        let generation = try generationToKeep(in: cache)
        let timed = try ask()
        if let generation, let timed,
            !mayExpire || now >= settledAt.load(ordering: .relaxed) &+ lookupDelay.load(ordering: .relaxed)
        {
            cache.keep(timed, generation: generation, tag: tag, askedAt: now)
        }
        return timed
    }

    /// The generation under which an answer to a later question may be kept; nil if it may not be kept.
    ///
    /// Keeping an answer does not require that the socket is idle; only using it does. But if the cache has an entry of
    /// the present generation, that entry could not be used just now, so an announcement is probably queued. Then the queue
    /// is emptied first.
    @inline(__always)
    private func generationToKeep(in cache: borrowing VerdictCache) throws(NetlinkError) -> UInt64? {
        let present = routingGeneration.current
        let isNew = present & 1 == 0 && cache.load()?.generation != present
        if isNew, settledGeneration.load(ordering: .acquiring) == present { return present }
        // A thread that ended while it empties the queue would leave the generation odd for good.
        return try withoutCancellation { () throws(NetlinkError) in
            guard let generation = isNew ? present : routingGeneration.refresh(), try isSettled(generation) else {
                return nil
            }
            return generation
        }
    }

    // MARK: Targets

    /// The present verdict on a target, which is then kept in a cache.
    @inline(__always)
    func verdict(
        on target: Target, keys: RoutingKeys, keptIn cache: borrowing VerdictCache
    ) throws(NetlinkError) -> Verdict {
        // The result is nil only for a name without addresses.
        try askAndKeep(in: cache, mayExpire: target.mayExpire) { () throws(NetlinkError) in
            try ask(about: target, keys: keys)
        }!.verdict
    }

    /// The present verdict on a target.
    @inline(__always)
    package func ask(about target: Target, keys: RoutingKeys) throws(NetlinkError) -> TimedVerdict {
        try withRouteClient { (routeClient) throws(NetlinkError) in
            guard case .address(let address) = target, keys.interfaceName == nil else {
                return try TargetLookup(routeClient, keys: keys).result(for: target)
            }
            // Most questions are about a plain address, and take this shortcut.
            let query = keys.query(for: address, socket: routeClient.socketDefaults[address.unmapped.family])
            return try routeClient.judge(try routeClient.requester.route(query), to: query)
        }
    }
}
