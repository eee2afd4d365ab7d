// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import Synchronization

/// Tells whether a kept answer is still the kernel's answer, so that asking again costs one system call.
///
/// **The proof.** The kernel queues the announcement of a change to every subscribed socket before the call that made the change
/// returns (measured over 5.6 million changes, without an exception). `sentinel` is a socket that subscribes to all of them and
/// that nothing else reads. If nothing is queued there, nothing has changed since it was last emptied. One system call finds that
/// out.
///
/// Answers are kept under a *generation*, a number that is replaced by a new one each time the sentinel is emptied of something.
/// No number is used twice in a process, so an answer kept under one number is never mistaken for that of another object:
///
/// - *Emptying* (under the lock): begin a generation, then receive until nothing is left.
/// - *Keeping*: read the generation under the lock, then ask the kernel, then keep the answer with that number.
/// - *Using*: find the sentinel idle, then compare the answer's generation with the present one.
///
/// An announcement that is received while the sentinel is emptied belongs to a change that every later request sees. No request
/// can have begun in the meantime under the new number, because that would need the lock. A thread that finds the sentinel idle
/// because another thread has just emptied it reads the new number, too. The receive queue has the smallest size: one message
/// always fits, which is enough to notice a change, and emptying it after a storm takes microseconds.
///
/// **Settling.** The kernel announces some changes before it makes them, inside the same call: a deleted IPv4 route
/// (fib_table_delete in net/ipv4/fib_trie.c), a deleted next-hop object, and a link that goes down, whose routes it then removes.
/// An answer given in between is the old one, and no further announcement follows. These changes are made under the RTNL lock,
/// and a request for a link waits for that lock. So answers of a generation are kept only after such a request. It costs as much
/// as two route lookups, and is sent only when a generation is used for the second time: during a storm, each is used once.
///
/// The whole machine has one such lock, and a process that deletes many links elsewhere holds it for tens of milliseconds. So
/// only one thread at a time sends such a request, and after a request that had to wait, none is sent for a while (`rest`). In
/// the meantime the kernel is asked each time, and its answers are not kept: an answer needs no proof to be true when it is
/// given, only to be used again. A generation is settled only by a request that began after its number was read.
///
/// For IPv6 routes the lock proves nothing, because since Linux 6.16 they change without it. A deleted IPv6 route is announced
/// after it was removed (fib6_del_route in net/ipv6/ip6_fib.c), so it needs no proof. A new one is announced before lookups find
/// it (fib6_add_rt2node sets RTN_RTINFO last). See `lookupDelay`.
///
/// **Not announced** are the end of an IPv6 route's lifetime (`RouteLifetime`), and the mark and interface of new sockets
/// (`SocketDefaults`, which calls `advance`).
package final class Freshness: Sendable {
    private let sentinel: any AnnouncementTransport
    private let idleCheck: IdleCheck
    private let generation: Atomic<UInt64>
    private let settling = Lock(Settling.noQuestionYet)
    /// Taken by the thread that sends a request for a link. The value is the moment before which no other is sent.
    private let settler = Lock(BootTime(nanoseconds: 0))
    private let drains = Atomic<Int>(0)
    /// The last number that was used for any generation.
    static let lastGeneration = Atomic<UInt64>(0)

    /// How far the present generation is known to be settled.
    enum Settling {
        case noQuestionYet, oneQuestion
        case settled(since: BootTime)
    }

    /// The nanoseconds after the settling of a generation for which IPv6 answers are not kept.
    ///
    /// Between the announcement of an IPv6 route and its appearance, the kernel holds a spinlock with softirqs disabled. That
    /// takes some microseconds, unless a hypervisor takes the processor away. Some tests set the delay to 0.
    package let lookupDelay = Atomic<UInt64>(100_000_000)

    /// The largest number of nanoseconds for which no request for a link follows one that had to wait. Some tests set it to 0.
    let longestRest = Atomic<UInt64>(10_000_000_000)

    /// Nil if the kernel announces no changes to the sentinel, so that nothing can be proved.
    package init?(_ sentinel: any AnnouncementTransport) {
        guard sentinel.isTold else { return nil }
        idleCheck = IdleCheck(sentinel.rawDescriptor)
        self.sentinel = sentinel
        generation = Atomic(Self.nextGeneration())
    }

    private static func nextGeneration() -> UInt64 { lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Using

    /// The flags of a kept answer, if they are proved to be the kernel's present answer. This is the whole cost of asking again
    /// while nothing changes.
    @inline(__always)
    package func proved(_ kept: KeptAnswer) -> ReachabilityFlags? {
        guard kept.generation == generation.load(ordering: .acquiring), idleCheck.isIdle,
            // Compared after the sentinel was found idle, because another thread may have just emptied it.
            kept.generation == generation.load(ordering: .acquiring),
            kept.use.isAllowed
        else { return nil }
        return kept.flags
    }

    // MARK: Keeping

    /// Permission to keep the answer to a request that begins from now on.
    package struct Permit: Sendable {
        fileprivate let generation: UInt64
        fileprivate let settledAt: BootTime
        let askedAt: BootTime
    }

    /// How long no request for a link follows one that took this long: a thousand times as long as it waited, so that waiting
    /// takes a thousandth of the time. A tenth of a millisecond does not count as waiting.
    func rest(after wait: Duration) -> Duration {
        min(max(.zero, wait - .microseconds(100)) * 1000, .nanoseconds(longestRest.load(ordering: .relaxed)))
    }

    /// Permission to keep the answer to a request that begins now; nil if the answer, although it will be true, must not be kept.
    ///
    /// - Parameters:
    ///   - kept: the kept answer that could not be used. If it belongs to the present generation, an announcement is probably
    ///     queued, and
    ///     the sentinel is emptied.
    ///   - settle: sends a request for a link.
    package func begin(
        after kept: KeptAnswer?, settle: () throws(NetlinkError) -> Void
    ) throws(NetlinkError) -> Permit? {
        let (present, progress) = beginQuestion(emptying: kept?.generation == generation.load(ordering: .relaxed))
        switch progress {
        case .noQuestionYet: return nil
        case .settled(let moment):
            return Permit(generation: present, settledAt: moment, askedAt: SystemTime().now())
        case .oneQuestion: break
        }
        let settled = try settler.withLockIfAvailable { (earliest) throws(NetlinkError) -> BootTime? in
            let start = SystemTime().now()
            guard start >= earliest else { return nil }
            try settle()
            let end = SystemTime().now()
            earliest = end.advanced(by: rest(after: end.duration(since: start)))
            return end
        }
        guard let settled, let moment = settled else { return nil }
        settling.withLock { settling in
            if generation.load(ordering: .relaxed) == present { settling = .settled(since: moment) }
        }
        return Permit(generation: present, settledAt: moment, askedAt: moment)
    }

    /// Notes that a request begins. Returns the present generation, and how far it was settled before.
    ///
    /// - Parameter isDue: whether to empty the sentinel first.
    func beginQuestion(emptying isDue: Bool) -> (generation: UInt64, settling: Settling) {
        settling.withLock { settling in
            if isDue, empty() { settling = .noQuestionYet }
            defer { if case .noQuestionYet = settling { settling = .oneQuestion } }
            // A request under the new number sees the change for which `advance` was called.
            return (generation.load(ordering: .acquiring), settling)
        }
    }

    /// The answer to keep; nil if it must not be kept.
    ///
    /// - Parameters:
    ///   - permit: given before the kernel was asked.
    ///   - previous: the answer that was kept before.
    package func keep(
        _ verdict: Verdict, under permit: Permit, serial: UInt64 = 0, after previous: KeptAnswer?
    ) -> KeptAnswer? {
        if verdict.involvesIPv6,
            permit.askedAt < permit.settledAt.advanced(by: .nanoseconds(lookupDelay.load(ordering: .relaxed)))
        {
            return nil
        }
        let isSame =
            previous?.generation == permit.generation && previous?.serial == serial && previous?.user == verdict.user
        return KeptAnswer(
            generation: permit.generation, serial: serial,
            use: verdict.lifetime.use(askedAt: permit.askedAt, before: isSame ? previous?.use : nil),
            flags: verdict.flags, user: verdict.user)
    }

    /// Starts a new generation, for a change that the kernel does not announce.
    package func advance() { generation.store(Self.nextGeneration(), ordering: .releasing) }

    // MARK: Emptying

    /// How often the sentinel has been emptied of something.
    package var drainCount: Int { drains.load(ordering: .relaxed) }

    /// Empties the sentinel, and returns whether it held anything. Called under the lock.
    private func empty() -> Bool {
        guard !idleCheck.isIdle else { return false }
        advance()
        // A thread that finds the queue empty after this also reads the new number. The ordering of the store alone does not
        // guarantee that.
        atomicMemoryFence(ordering: .releasing)
        drains.wrappingAdd(1, ordering: .relaxed)
        // The contents of the messages do not matter, and an overrun counts as a message. While the queue is full, the kernel
        // silently drops announcements until the queue has been found empty. The buffer has no room, so the length is 0, and
        // nothing is taken out of a stream that the program may have opened under this number (closefrom(3)).
        let noRoom = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        while true {
            do throws(Errno) {
                if try unsafe sentinel.receive(into: noRoom).length == 0 { break }
            } catch {
                if error != .noBufferSpace { break }
            }
        }
        return true
    }
}

/// Flags that were the kernel's answer under one generation. `Freshness` tells whether they still are.
package struct KeptAnswer: Sendable {
    fileprivate var generation: UInt64
    /// The serial number of the resolution from which the flags were made; 0 for an address.
    package var serial: UInt64
    fileprivate var use: RouteLifetime.Use
    package var flags: ReachabilityFlags
    /// The user for whom the kernel was asked; nil if no rules name users.
    package var user: UInt32?
}

extension KeptAnswer {
    /// All flags fit into the lower bits of a word. The upper bits hold enough generations for a year with a million changes a
    /// second.
    private static var flagBits: UInt64 { 19 }

    /// A common answer in one word that is not 0: it has no end, holds for every user, and is about an address.
    fileprivate var word: UInt64? {
        guard case .always = use, serial == 0, user == nil, generation >> (64 - Self.flagBits) == 0,
            flags.rawValue >> Self.flagBits == 0
        else { return nil }
        return generation << Self.flagBits | UInt64(flags.rawValue)
    }

    @inline(__always)
    fileprivate init(word: UInt64) {
        self.init(
            generation: word >> Self.flagBits, serial: 0, use: .always,
            flags: ReachabilityFlags(rawValue: UInt32(word & (1 << Self.flagBits - 1))), user: nil)
    }
}

/// The place of a kept answer. A common answer is a single word, because there may be very many, and reading it is part of the
/// cost of asking again.
@safe package struct AnswerCell: ~Copyable, Sendable {
    /// A common answer; 0 if the newest is a rare one.
    private let common = Atomic<UInt64>(0)
    /// Made for the first rare answer, and owned by the cell until its end. An `AtomicLazyReference` would be retained at each
    /// use.
    private let rare = unsafe Atomic<Unmanaged<RareAnswer>?>(nil)

    package final class RareAnswer: Sendable {
        fileprivate let kept = Lock<KeptAnswer?>(nil)
    }

    package init() {}

    deinit { unsafe rare.load(ordering: .acquiring)?.release() }

    /// Also nil if another thread uses the cell for longer than a copy takes, because that thread lost its processor. The caller
    /// then asks the kernel.
    @inline(__always)
    package var content: KeptAnswer? {
        let word = common.load(ordering: .acquiring)
        return word != 0 ? KeptAnswer(word: word) : rareContent
    }

    @inline(never)
    private var rareContent: KeptAnswer? {
        unsafe rare.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { rare in
            for _ in 0..<64 {
                if let content = rare.kept.withLockIfAvailable({ $0 }) { return content }
            }
            return nil
        }
    }

    /// Keeps nothing if the answer is a rare one and another thread is using a rare one now. If two threads keep an answer at the
    /// same time, either may remain: each is true as long as its generation is the present one.
    package func store(_ kept: KeptAnswer) {
        let word = kept.word
        if word == nil {
            let place = unsafe rare.load(ordering: .acquiring) ?? makeRare()
            let isStored = unsafe place._withUnsafeGuaranteedRef { $0.kept.withLockIfAvailable { $0 = kept } } != nil
            guard isStored else { return }
        }
        common.store(word ?? 0, ordering: .releasing)
    }

    private func makeRare() -> Unmanaged<RareAnswer> {
        let fresh = unsafe Unmanaged.passRetained(RareAnswer())
        let (exchanged, earlier) = unsafe rare.compareExchange(
            expected: nil, desired: fresh, ordering: .acquiringAndReleasing)
        guard !exchanged, let earlier = unsafe earlier else { return unsafe fresh }
        unsafe fresh.release()
        return unsafe earlier
    }
}

/// When the kernel's answer ends without an announcement. Only an IPv6 route can end in this way (router advertisements, `ip -6
/// route … expires`): it is gone at that moment, and the garbage collection announces that half a minute later.
///
/// The kernel counts whole clock ticks and rounds down (rt6_fill_node in net/ipv6/route.c). So a route that ends in n ticks lives
/// for at least n and for less than n + 1 ticks, and a route in its last tick seems to have no lifetime at all.
package enum RouteLifetime: Hashable, Sendable {
    case endless
    case ends(inTicks: UInt32)
    /// The kernel reports no lifetime, so the route may be in its last tick.
    case uncertain

    package init(_ route: RouteDecision) {
        self =
            switch (route.canExpire, route.expiresInTicks) {
            case (false, _): .endless
            case (true, let ticks?): .ends(inTicks: ticks)
            case (true, nil): .uncertain
            }
    }

    private static var tick: Duration { .nanoseconds(1_000_000_000 / clockTicksPerSecond) }

    /// How long an answer holds that was made from two routes: until the first of them ends.
    package func sooner(_ other: RouteLifetime) -> RouteLifetime {
        switch (self, other) {
        case (.endless, let lifetime), (let lifetime, .endless): lifetime
        case (.ends(let mine), .ends(let others)): .ends(inTicks: min(mine, others))
        case (.uncertain, .uncertain): .uncertain
        // It is not known which of them ends first. With no time left, the answer is never used again.
        case (.uncertain, .ends), (.ends, .uncertain): .ends(inTicks: 0)
        }
    }

    // MARK: For kept answers, which must not be used too late

    /// When a kept answer may be used.
    package enum Use: Hashable, Sendable {
        case always
        /// The route may have ended from this moment on.
        case until(BootTime)
        /// The route may be in its last tick. Since this moment, the kernel has reported no lifetime and announced no change.
        case notYet(since: BootTime)

        @inline(__always)
        var isAllowed: Bool {
            switch self {
            case .always: true
            case .until(let end): SystemTime().now() < end
            case .notYet: false
            }
        }
    }

    /// - Parameters:
    ///   - askedAt: a moment before the kernel was asked.
    ///   - before: the use of the answer that was kept before, if nothing changed in between.
    package func use(askedAt: BootTime, before: Use?) -> Use {
        switch (self, before) {
        case (.endless, _): .always
        case (.ends(let ticks), _): .until(askedAt.advanced(by: Self.tick * Int(ticks)))
        // If the kernel has twice reported no lifetime, more than a tick apart, there is none.
        case (.uncertain, .always?): .always
        case (.uncertain, .notYet(let since)?):
            askedAt >= since.advanced(by: Self.tick * 2) ? .always : .notYet(since: since)
        case (.uncertain, _): .notYet(since: askedAt)
        }
    }

    // MARK: For the next look, which must not come too early

    /// A moment at which the route has certainly ended; nil if it has no end.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - known: the moment from an earlier answer. It is used if the present answer is uncertain and that moment is near.
    package func end(now: BootTime, known: BootTime) -> BootTime? {
        switch self {
        case .endless: return nil
        // One tick for the rounding, and one for the time that the answer took.
        case .ends(let ticks): return now.advanced(by: Self.tick * (Int(ticks) + 2))
        case .uncertain:
            return known <= now.advanced(by: Self.tick * 4) ? known : nil
        }
    }
}
