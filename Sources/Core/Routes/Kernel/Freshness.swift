// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import Synchronization

/// Tells whether a kept answer is still the kernel's.
///
/// **The proof.** The kernel queues the announcement of a change to every subscriber before the call that made the change
/// returns (measured over 5.6 million changes, none missed). `sentinel` is a socket that subscribes to all of them and that
/// nobody else reads. If nothing is queued there, nothing has changed since it was last emptied. One system call finds out.
///
/// Answers are kept under a *generation*, a number of which there is a new one each time the sentinel is emptied of something. No
/// number is used twice in the process, so an answer kept under one is never taken for another object's:
///
/// - *Emptying* (under the lock): begin a generation, then receive until nothing is left.
/// - *Keeping*: read the generation under the lock, then ask the kernel, then keep the answer with that number.
/// - *Using*: find the sentinel idle, then compare the answer's generation with the present one.
///
/// An announcement that is received while the sentinel is emptied belongs to a change that every later question sees, and no
/// question began meanwhile under the new number, because that would take the lock. A thread that finds the sentinel idle
/// because another has just emptied it reads the new number too. The receive queue has the smallest size: one message
/// always fits, which is enough to notice a change, and emptying it after a storm takes microseconds.
///
/// **Settling.** The kernel announces some changes before it makes them, inside the same call: a deleted IPv4 route
/// (fib_table_delete in net/ipv4/fib_trie.c), a deleted next-hop object, and a link that goes down, whose routes it then
/// removes. An answer in between is the old one, and no further announcement follows. These changes are made under the RTNL
/// lock, and a request for a link waits for that lock. So answers of a generation are kept only after such a request. It costs
/// twice a route lookup, and is sent only when a generation is met for the second time: during a storm each is met once.
///
/// The whole machine has one such lock, and a process that deletes many links elsewhere holds it for tens of milliseconds. So one
/// thread at a time sends such a request, and after one that had to wait none is sent for a while (`rest`). Meanwhile questions are
/// answered, and their answers are not kept: an answer needs no proof to be true when it is given, only to be used again. What
/// settles a generation is still a request that began after the number was read, under this number or not at all.
///
/// For IPv6 routes the lock proves nothing, because since Linux 6.16 they change without it. A deleted IPv6 route is announced
/// after it was removed (fib6_del_route in net/ipv6/ip6_fib.c), so it needs no proof. A new one is announced before lookups
/// find it (fib6_add_rt2node sets RTN_RTINFO last). See `lookupDelay`.
///
/// **What is not announced**: the end of an IPv6 route's lifetime (`RouteLifetime`), and what a new socket's mark and interface
/// are (`SocketDefaults`, which calls `advance`).
package final class Freshness: Sendable {
    private let sentinel: any AnnouncementTransport
    private let idleCheck: IdleCheck
    private let generation: Atomic<UInt64>
    private let settling = Lock(Settling.noQuestionYet)
    /// For the thread that sends a request for a link: no other is sent before this moment.
    private let settler = Lock(BootTime(nanoseconds: 0))
    private let drains = Atomic<Int>(0)
    /// The last number that any generation has got.
    static let lastGeneration = Atomic<UInt64>(0)

    /// How far the present generation is known to be settled.
    enum Settling {
        case noQuestionYet, oneQuestion
        case settled(since: BootTime)
    }

    /// For how many nanoseconds after a generation has settled IPv6 answers are not kept.
    ///
    /// Between the announcement of an IPv6 route and its appearance the kernel holds a spinlock with softirqs disabled.
    /// That takes some microseconds, unless a hypervisor takes the processor away. Some tests set the delay to 0.
    package let lookupDelay = Atomic<UInt64>(100_000_000)

    /// For how many nanoseconds at most no request for a link follows one that had to wait. Some tests set it to 0.
    let longestRest = Atomic<UInt64>(10_000_000_000)

    /// Nil if the sentinel is told of no changes: then nothing is proved.
    package init?(_ sentinel: any AnnouncementTransport) {
        guard sentinel.isTold else { return nil }
        idleCheck = IdleCheck(sentinel.rawDescriptor)
        self.sentinel = sentinel
        generation = Atomic(Self.nextGeneration())
    }

    private static func nextGeneration() -> UInt64 { lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Using

    /// The flags of a kept answer, if they are proved to be the kernel's present answer. This is the whole cost of a repeated
    /// question while nothing changes.
    @inline(__always)
    package func proved(_ kept: KeptAnswer) -> ReachabilityFlags? {
        guard kept.generation == generation.load(ordering: .acquiring), idleCheck.isIdle,
            // Compared again, because another thread may have emptied the sentinel just before it was found idle.
            kept.generation == generation.load(ordering: .acquiring),
            kept.use.isAllowed
        else { return nil }
        return kept.flags
    }

    // MARK: Keeping

    /// Allows the answer to a question that is asked from now on to be kept.
    package struct Permit: Sendable {
        fileprivate let generation: UInt64
        fileprivate let settledAt: BootTime
        let askedAt: BootTime
    }

    /// How long no request for a link follows one that took so long: a thousand times as long as it waited, so that waiting takes
    /// a thousandth of the time. A tenth of a millisecond is no wait.
    func rest(after wait: Duration) -> Duration {
        min(max(.zero, wait - .microseconds(100)) * 1000, .nanoseconds(longestRest.load(ordering: .relaxed)))
    }

    /// Permission to keep the answer to a question that begins now; nil if it may not be kept, though it will be true.
    ///
    /// - Parameters:
    ///   - kept: the answer that could not be used just now. If it is of the present generation, an announcement is probably
    ///     queued, and the sentinel is emptied.
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

    /// Notes that a question begins, and returns the present generation, and how far it was settled before.
    ///
    /// - Parameter isDue: whether to empty the sentinel first.
    func beginQuestion(emptying isDue: Bool) -> (generation: UInt64, settling: Settling) {
        settling.withLock { settling in
            if isDue, empty() { settling = .noQuestionYet }
            defer { if case .noQuestionYet = settling { settling = .oneQuestion } }
            // A question under the new number sees the change for which `advance` was called.
            return (generation.load(ordering: .acquiring), settling)
        }
    }

    /// The answer to keep; nil if it must not be kept.
    ///
    /// - Parameters:
    ///   - permit: given before the question was asked.
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

    /// How often the sentinel was emptied of something.
    package var drainCount: Int { drains.load(ordering: .relaxed) }

    /// Empties the sentinel, and tells whether it held anything. Called under the lock.
    private func empty() -> Bool {
        guard !idleCheck.isIdle else { return false }
        advance()
        // A thread that finds the queue empty then reads the new number too. No ordering of the store promises that.
        atomicMemoryFence(ordering: .releasing)
        drains.wrappingAdd(1, ordering: .relaxed)
        // The messages do not matter, and an overrun counts like a message. While the queue is full, the kernel silently drops
        // announcements until it was found empty. Without room for a message, nothing is taken out of a stream that the program may
        // have under this number (closefrom(3)), and its length is 0.
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

/// Flags that were the kernel's answer under one generation. `Freshness` says whether they still are.
package struct KeptAnswer: Sendable {
    fileprivate var generation: UInt64
    /// The serial number of the resolution from which the flags were made; 0 for an address.
    package var serial: UInt64
    fileprivate var use: RouteLifetime.Use
    package var flags: ReachabilityFlags
    /// The user for whom the kernel was asked; nil if rules name no users.
    package var user: UInt32?
}

extension KeptAnswer {
    /// All flags fit into the lower bits of a word. The upper ones hold generations for a year of a million changes a second.
    private static var flagBits: UInt64 { 19 }

    /// The common answer in one word that is not 0: it holds always and for every user, and is about an address.
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

/// Where a kept answer is. A common one is a word, as there may be very many, and reading it is a part of what a repeated question
/// costs.
@safe package struct AnswerCell: ~Copyable, Sendable {
    /// A common answer; 0 if the newest is a rare one.
    private let common = Atomic<UInt64>(0)
    /// Made for the first rare answer, and the cell's until its end. An `AtomicLazyReference` would be retained for each use.
    private let rare = unsafe Atomic<Unmanaged<RareAnswer>?>(nil)

    package final class RareAnswer: Sendable {
        fileprivate let kept = Lock<KeptAnswer?>(nil)
    }

    package init() {}

    deinit { unsafe rare.load(ordering: .acquiring)?.release() }

    /// Nil also if another thread uses the cell for longer than a copy takes, because the processor was taken from that thread. The
    /// caller then asks the kernel.
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

    /// Nothing is kept if it is a rare answer, and another thread has one in its hands now. If two threads keep an answer at the
    /// same time, either may stay: each is true as long as its generation is the present one.
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

/// When the kernel's answer ends without an announcement. Only an IPv6 route can (router advertisements, `ip -6 route …
/// expires`): it is gone at that moment, and announced half a minute later by the garbage collection.
///
/// The kernel counts whole clock ticks and rounds down (rt6_fill_node in net/ipv6/route.c). So a route that ends in n ticks
/// lives for at least n and for less than n + 1, and one in its last tick seems to have no lifetime at all.
package enum RouteLifetime: Hashable, Sendable {
    case endless
    case ends(inTicks: UInt32)
    /// The kernel tells no lifetime. The route may be in its last tick.
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

    /// How long an answer that was made of two routes holds: until the first of them ends.
    package func sooner(_ other: RouteLifetime) -> RouteLifetime {
        switch (self, other) {
        case (.endless, let lifetime), (let lifetime, .endless): lifetime
        case (.ends(let mine), .ends(let others)): .ends(inTicks: min(mine, others))
        case (.uncertain, .uncertain): .uncertain
        // Which of them ends first is not known. With no time left, the answer is never used again.
        case (.uncertain, .ends), (.ends, .uncertain): .ends(inTicks: 0)
        }
    }

    // MARK: For kept answers, which must not be used too late

    /// When a kept answer may be used.
    package enum Use: Hashable, Sendable {
        case always
        /// The route may be gone from this moment on.
        case until(BootTime)
        /// The route may be in its last tick. Since this moment the kernel has told no lifetime, and announced no change.
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
    ///   - before: of the answer that was kept before, if there was no change in between.
    package func use(askedAt: BootTime, before: Use?) -> Use {
        switch (self, before) {
        case (.endless, _): .always
        case (.ends(let ticks), _): .until(askedAt.advanced(by: Self.tick * Int(ticks)))
        // No lifetime, told twice and more than a tick apart, means that there is none.
        case (.uncertain, .always?): .always
        case (.uncertain, .notYet(let since)?):
            askedAt >= since.advanced(by: Self.tick * 2) ? .always : .notYet(since: since)
        case (.uncertain, _): .notYet(since: askedAt)
        }
    }

    // MARK: For the next look, which must not come too early

    /// A moment at which the route is surely gone; nil for none.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - known: the moment that an earlier answer told. If it is about to come, it counts where the kernel's answer is
    ///     uncertain.
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
