// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink
import NetworkFacts
package import Synchronization

/// The open sockets through which this process asks one namespace's kernel.
package final class KernelAccess: Sendable {
    package let routingGeneration: RoutingGeneration
    /// The sentinel's. It stands here as well because the compiler then sees that nobody need hold on to it.
    private let ringIdleCheck: RingIdleCheck
    private let routeClients: RouteClientPool
    package let socketDefaults: SocketDefaults
    /// The process, by its place in a row of forks, that may use these sockets.
    package let epoch: UInt64

    /// Opens the sockets in the namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - socketDefaults: finds out what new sockets have there.
    ///   - reopen: opens a further conversation in the same namespace, whatever thread it is called on.
    package init(
        deviceTypes: DeviceTypes, socketDefaults look: () throws(Errno) -> SocketDefaults,
        reopen: @escaping @Sendable () throws(NetlinkError) -> NetlinkRequester
    ) throws(NetlinkError) {
        ForkEpoch.observe()
        epoch = ForkEpoch.current
        do throws(Errno) {
            routingGeneration = try RoutingGeneration()
            ringIdleCheck = routingGeneration.ringIdleCheck
        } catch {
            throw .system(.open, error)
        }
        let requester = try NetlinkRequester()
        let socketDefaults: SocketDefaults
        do throws(Errno) {
            socketDefaults = try look()
        } catch {
            throw .system(.openProbe, error)
        }
        self.socketDefaults = socketDefaults
        routeClients = RouteClientPool(first: RouteClient(requester, deviceTypes, socketDefaults)) {
            () throws(NetlinkError) in RouteClient(try reopen(), deviceTypes, socketDefaults)
        }
    }

    /// Lends an inquirer to `body`, which may ask the kernel and do nothing that could wait.
    package func withRouteClient<Value: Sendable>(
        _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        lookAtSockets(at: SystemTime().now())
        return try routeClients.withRouteClient(body)
    }

    /// Looks at what new sockets have, where that was not done lately. Where it has changed, no answer counts any more.
    package func lookAtSockets(at now: BootTime) {
        if socketDefaults.refresh(at: now) { routingGeneration.advance() }
    }

    /// The last generation of which every announced change has been made, and the last that was asked under.
    private let settledGeneration = Atomic<UInt64>(0)
    private let asked = Atomic<UInt64>(0)
    /// When the last generation became ripe.
    private let settledAt = Atomic<UInt64>(0)

    /// Whether every change that was announced before a generation has been made, so that an answer asked for from now on
    /// may be kept under it.
    ///
    /// The kernel announces some changes before it makes them, inside the same call: a deleted IPv4 route
    /// (fib_table_delete in net/ipv4/fib_trie.c), a deleted next-hop object, and a link that goes down, whose routes it
    /// then takes away. Who asks in between gets the old answer, and no further word comes. All of these are made under
    /// the RTNL lock, and so is a question about a link: when that has been answered, what was announced before is done.
    /// It costs twice a route lookup, so it is asked only when a generation is met for the second time. Beside a
    /// storm, where each is met but once, nothing could be used again anyway.
    ///
    /// A new IPv6 route is announced before lookups find it (fib6_add_rt2node in net/ipv6/ip6_fib.c sets RTN_RTINFO last),
    /// since Linux 6.16 without that lock, and under none that a question could wait for. See `lookupDelay`.
    private func isSettled(_ generation: UInt64) throws(NetlinkError) -> Bool {
        if settledGeneration.load(ordering: .acquiring) == generation { return true }
        guard asked.exchange(generation, ordering: .acquiringAndReleasing) == generation else { return false }
        try routeClients.withRouteClient { (routeClient) throws(NetlinkError) in
            _ = try routeClient.requester.link(Self.anyLink)
        }
        settledAt.store(SystemTime().now().nanoseconds, ordering: .relaxed)
        settledGeneration.store(generation, ordering: .releasing)
        return true
    }

    /// For how many nanoseconds after an announcement an IPv6 answer is asked for each time instead of being kept.
    ///
    /// While a route is announced and not yet found, the kernel holds a spinlock with softirqs disabled. That takes some
    /// microseconds, unless a hypervisor takes the processor away. Tests that count what is asked set the delay to 0.
    package let lookupDelay = Atomic<UInt64>(100_000_000)

    /// The loopback interface, which is number 1 in every namespace. Which one is asked about does not matter.
    private static let anyLink = InterfaceIndex(1)!

    package var isUsable: Bool { epoch == ForkEpoch.current }

    /// The flags in a cache, where they are proved to be the kernel's present answer. This is the whole cost of asking
    /// again while nothing has changed.
    @inline(__always)
    package func provenFlags(in cache: borrowing VerdictCache, tag: UInt64 = 0) -> ReachabilityFlags? {
        guard isUsable, let entry = cache.load(), entry.generation == routingGeneration.current, entry.tag == tag,
            // Only now is the generation a proof; it may have been raised by who emptied the queues just before.
            ringIdleCheck.isIdle(else: routingGeneration.idleCheck), entry.generation == routingGeneration.current,
            entry.deadline == VerdictCache.Entry.never || SystemTime().now().nanoseconds < entry.deadline
        else { return nil }
        return entry.flags
    }
}

extension KernelAccess {
    /// Asks, and keeps the answer in a cache where it is sure to be found out when it is no longer true.
    ///
    /// - Parameters:
    ///   - mayExpire: whether an IPv6 route may be part of the answer. It may hold for a time only, and may have been
    ///     announced before it is found, so the clock has to be read.
    ///   - tag: which of a name's answers it is made from; asked for only where it is kept.
    ///   - ask: asks the kernel.
    @inline(__always)
    func verdict(
        keptIn cache: borrowing VerdictCache, mayExpire: Bool = true, tag: () -> UInt64 = { 0 },
        _ ask: () throws(NetlinkError) -> TimedVerdict?
    ) throws(NetlinkError) -> TimedVerdict? {
        let now = mayExpire ? SystemTime().now().nanoseconds : 0
        let generation = try generationToKeep(in: cache)
        let timed = try ask()
        if let generation, let timed,
            !mayExpire || now >= settledAt.load(ordering: .relaxed) &+ lookupDelay.load(ordering: .relaxed)
        {
            cache.keep(timed, generation: generation, tag: tag(), askedAt: now)
        }
        return timed
    }

    /// The generation under which an answer asked for from now on may be kept; nil where it may not.
    ///
    /// Whether the sentinel is quiet need not be asked to keep an answer, only to use it. But a cache that has one of this
    /// generation could not use it just now, so something is queued; and after a change it is worth knowing whether more
    /// have come, before one makes sure that they are done.
    @inline(__always)
    private func generationToKeep(in cache: borrowing VerdictCache) throws(NetlinkError) -> UInt64? {
        let present = routingGeneration.current
        if settledGeneration.load(ordering: .acquiring) == present, cache.load()?.generation != present {
            return present
        }
        guard let settled = routingGeneration.refresh(), try isSettled(settled) else { return nil }
        return settled
    }

    /// The present verdict on a target, kept in a cache like any other's.
    @inline(__always)
    func verdict(
        on target: Target, keys: RoutingKeys, keptIn cache: borrowing VerdictCache
    ) throws(NetlinkError) -> Verdict {
        // Only a name can have nothing to ask about.
        try verdict(keptIn: cache, mayExpire: target.mayExpire) { () throws(NetlinkError) in
            try verdict(on: target, keys: keys)
        }!.verdict
    }

    /// The present verdict on a target.
    package func verdict(on target: Target, keys: RoutingKeys) throws(NetlinkError) -> TimedVerdict {
        try withRouteClient { (routeClient) throws(NetlinkError) in
            guard case .address(let address) = target, keys.interfaceName == nil else {
                return try TargetLookup(routeClient, keys: keys).verdict(on: target)
            }
            // What most questions are, without a detour.
            let query = keys.query(for: address, socket: routeClient.socketDefaults[address.unmapped.family])
            let answer = try routeClient.requester.route(query)
            return try routeClient.verdict(on: query, answer: answer)
        }
    }
}
