// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink
import NetworkFacts
package import Synchronization

/// The open sockets through which this process asks one namespace's kernel.
package final class KernelAccess: Sendable {
    package let sentinel: Sentinel
    /// The sentinel's. It stands here as well because the compiler then sees that nobody need hold on to it.
    private let tripwire: Tripwire
    private let inquirers: InquirerPool
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
        reopen: @escaping @Sendable () throws(NetlinkError) -> Conversation
    ) throws(NetlinkError) {
        ForkEpoch.observe()
        epoch = ForkEpoch.current
        do throws(Errno) {
            sentinel = try Sentinel()
            tripwire = sentinel.tripwire
        } catch {
            throw .system(.open, error)
        }
        let conversation = try Conversation()
        let socketDefaults: SocketDefaults
        do throws(Errno) {
            socketDefaults = try look()
        } catch {
            throw .system(.openProbe, error)
        }
        self.socketDefaults = socketDefaults
        inquirers = InquirerPool(first: Inquirer(conversation, deviceTypes, socketDefaults)) {
            () throws(NetlinkError) in Inquirer(try reopen(), deviceTypes, socketDefaults)
        }
    }

    /// Lends an inquirer to `body`, which may ask the kernel and do nothing that could wait.
    package func withInquirer<Value: Sendable>(
        _ body: (Inquirer) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        lookAtSockets(at: SystemTime().now())
        return try inquirers.withInquirer(body)
    }

    /// Looks at what new sockets have, where that was not done lately. Where it has changed, no answer counts any more.
    package func lookAtSockets(at now: BootTime) {
        if socketDefaults.refresh(at: now) { sentinel.raiseGeneration() }
    }

    /// The last generation of which every announced change has been made, and the last that was asked under.
    private let ripe = Atomic<UInt64>(0)
    private let asked = Atomic<UInt64>(0)
    /// When the last generation became ripe.
    private let ripeSince = Atomic<UInt64>(0)

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
    private func isRipe(_ generation: UInt64) throws(NetlinkError) -> Bool {
        if ripe.load(ordering: .acquiring) == generation { return true }
        guard asked.exchange(generation, ordering: .acquiringAndReleasing) == generation else { return false }
        try inquirers.withInquirer { (inquirer) throws(NetlinkError) in
            _ = try inquirer.conversation.link(Self.anyLink)
        }
        ripeSince.store(SystemTime().now().nanoseconds, ordering: .relaxed)
        ripe.store(generation, ordering: .releasing)
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

    /// The flags in a cell, where they are proved to be the kernel's present answer. This is the whole cost of asking
    /// again while nothing has changed.
    @inline(__always)
    package func provenFlags(in cell: borrowing VerdictCell, tag: UInt64 = 0) -> ReachabilityFlags? {
        guard isUsable, let entry = cell.load(), entry.generation == sentinel.generation, entry.tag == tag,
            // Only now is the generation a proof; it may have been raised by who emptied the queues just before.
            tripwire.isQuiet(else: sentinel.announcements), entry.generation == sentinel.generation,
            entry.deadline == VerdictCell.Entry.never || SystemTime().now().nanoseconds < entry.deadline
        else { return nil }
        return entry.flags
    }
}

extension KernelAccess {
    /// Asks, and keeps the answer in a cell where it is sure to be found out when it is no longer true.
    ///
    /// - Parameters:
    ///   - mayExpire: whether an IPv6 route may be part of the answer. It may hold for a time only, and may have been
    ///     announced before it is found, so the clock has to be read.
    ///   - tag: which of a name's answers it is made from; asked for only where it is kept.
    ///   - ask: asks the kernel.
    @inline(__always)
    func verdict(
        keptIn cell: borrowing VerdictCell, mayExpire: Bool = true, tag: () -> UInt64 = { 0 },
        _ ask: () throws(NetlinkError) -> TimedVerdict?
    ) throws(NetlinkError) -> TimedVerdict? {
        let now = mayExpire ? SystemTime().now().nanoseconds : 0
        let generation = try generationToKeep(in: cell)
        let timed = try ask()
        if let generation, let timed,
            !mayExpire || now >= ripeSince.load(ordering: .relaxed) &+ lookupDelay.load(ordering: .relaxed)
        {
            cell.keep(timed, generation: generation, tag: tag(), askedAt: now)
        }
        return timed
    }

    /// The generation under which an answer asked for from now on may be kept; nil where it may not.
    ///
    /// Whether the sentinel is quiet need not be asked to keep an answer, only to use it. But a cell that has one of this
    /// generation could not use it just now, so something is queued; and after a change it is worth knowing whether more
    /// have come, before one makes sure that they are done.
    @inline(__always)
    private func generationToKeep(in cell: borrowing VerdictCell) throws(NetlinkError) -> UInt64? {
        let present = sentinel.generation
        if ripe.load(ordering: .acquiring) == present, cell.load()?.generation != present { return present }
        guard let settled = sentinel.settle(), try isRipe(settled) else { return nil }
        return settled
    }

    /// The present verdict on a target, kept in a cell like any other's.
    @inline(__always)
    func verdict(
        on target: Target, keys: RoutingKeys, keptIn cell: borrowing VerdictCell
    ) throws(NetlinkError) -> Verdict {
        // Only a name can have nothing to ask about.
        try verdict(keptIn: cell, mayExpire: target.mayExpire) { () throws(NetlinkError) in
            try verdict(on: target, keys: keys)
        }!.verdict
    }

    /// The present verdict on a target.
    package func verdict(on target: Target, keys: RoutingKeys) throws(NetlinkError) -> TimedVerdict {
        try withInquirer { (inquirer) throws(NetlinkError) in
            guard case .address(let address) = target, keys.interfaceName == nil else {
                return try TargetLookup(inquirer, keys: keys).verdict(on: target)
            }
            // What most questions are, without a detour.
            let query = keys.query(for: address, socket: inquirer.socketDefaults[address.unmapped.family])
            let answer = try inquirer.conversation.route(query)
            return try inquirer.verdict(on: query, answer: answer)
        }
    }
}
