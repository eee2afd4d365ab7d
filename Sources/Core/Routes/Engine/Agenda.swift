// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Decides what has to be evaluated, why, and when. It is a value that only decides: ``EngineCore`` makes the evaluations, and
/// wakes up at `next`.
///
/// Work waits in one of six places, each of which becomes due at a certain moment, and is taken as a whole (``Occasion``): what was
/// announced first, unless something was asked for before, and then the place that became due first. Whatever becomes due after
/// that belongs to the next evaluation, so no storm of changes keeps other work waiting.
///
/// - **Asked for**: a new subscriber waits for the present answer, or another part of the program has found something out. Due at
///   once.
/// - **Announced**: due at once if nothing was announced for a while. At the end of each evaluation a window opens, and changes
///   that arrive inside it wait for its end. Further changes do not extend the window, so that even an endless storm is evaluated
///   once per window.
/// - **Unproved**: answers of an evaluation that may have come too early. The kernel announces some changes before it makes them:
///   a deleted IPv4 route (fib_table_delete in net/ipv4/fib_trie.c), and a link that goes down or loses its last address, whose
///   routes it then removes without a further announcement. The engine's thread, woken by the announcement, may take the
///   processor from the thread that makes the change. So the kernel is asked again under its lock, which proves the answer for
///   IPv4.
/// - **Late**: answers that the lock does not prove, because IPv6 routes change without it since Linux 6.16. The kernel is asked
///   once more.
/// - **Ended**: the end of a route's lifetime is announced too late, so an evaluation is due at that moment.
/// - **Everything**, at an interval, where the kernel does not announce all changes.
///
/// **Evaluations of changes use at most a quarter of one processor.** Each of them extends the window by four times the processor
/// time that it took, and so does the repetition of what was asked for. What is asked for is evaluated at once. With very many targets, a change therefore waits longer. Unused time is not saved up for later.
///
/// An `Entry` is a thing to evaluate: in an engine, something that is watched.
struct Agenda<Entry> {
    /// Why an evaluation is due.
    enum Occasion: Sendable {
        case asked
        case announced(PendingChanges)
        case unproved, late
        case ended
        case everything
    }

    /// Work that is due together.
    struct Due {
        let occasion: Occasion
        /// Empty where the occasion says what has to be evaluated.
        var entries: [Entry] = []
        /// The announcements that led to this.
        var causes = ChangeKinds()
        /// Whether the kernel may be making a change under its lock (RTNL). A request that waits for the lock finds the change
        /// made.
        var mayBeUnderWay = false
        fileprivate var moment = BootTime.distantFuture

        fileprivate init(_ occasion: Occasion) { self.occasion = occasion }

        var isAsked: Bool { if case .asked = occasion { true } else { false } }

        /// Adds entries that are due a little later. Entries that join others may be due sooner than that.
        fileprivate mutating func add(_ entries: [Entry], because causes: ChangeKinds, at moment: BootTime) {
            self.entries += entries
            self.causes.formUnion(causes)
            self.moment = min(self.moment, moment)
        }

        fileprivate mutating func take() -> Due {
            defer { self = Due(occasion) }
            return self
        }
    }

    /// The announced changes that have not been evaluated yet.
    var announced = PendingChanges()
    private var windowEnd = BootTime(nanoseconds: 0)
    private var asked = Due(.asked)
    private var unproved = Due(.unproved)
    private var late = Due(.late)
    private var end = BootTime.distantFuture
    private var interval = BootTime.distantFuture
    private let pace: Pace

    init(_ pace: Pace) { self.pace = pace }

    /// When the next work is due; in the distant future if there is none.
    var next: BootTime { min(nextOfChanges, end, interval) }

    /// The same, without the ends of lifetimes and the interval.
    var nextOfChanges: BootTime {
        min(announced.isEmpty ? .distantFuture : windowEnd, asked.moment, unproved.moment, late.moment)
    }

    /// Removes and returns the work that became due first; nil if nothing is due. Announced changes go before everything except
    /// work that was asked for, so that the effects of one change are reported together. Their window leaves time for the other
    /// work.
    mutating func pop(at now: BootTime) -> Due? {
        let next = next
        guard next <= now else { return nil }
        if !announced.isEmpty, windowEnd <= min(now, asked.moment) {
            let changes = announced.removeAll()
            var due = Due(.announced(changes))
            (due.causes, due.mayBeUnderWay) = (changes.causes, changes.mayComeAfterAnnouncement)
            return due
        }
        switch next {
        case asked.moment: return asked.take()
        case unproved.moment: return unproved.take()
        case late.moment: return late.take()
        case end:
            end = .distantFuture
            return Due(.ended)
        default:
            interval = .distantFuture
            return Due(.everything)
        }
    }

    /// Removes and returns the work that was asked for; nil if there is none.
    mutating func popAsked(at now: BootTime) -> Due? { asked.moment <= now ? asked.take() : nil }

    // MARK: What makes something due

    /// Makes these entries due, because a subscriber or another part of the package waits for their answers.
    mutating func ask(for entries: some Sequence<Entry>, at moment: BootTime) {
        asked.entries.append(contentsOf: entries)
        asked.moment = min(asked.moment, moment)
    }

    /// A route's lifetime ends at this moment.
    mutating func ends(at moment: BootTime) { end = min(end, moment) }

    /// Makes everything due at this moment, whether or not anything is announced.
    mutating func everything(at moment: BootTime) { interval = min(interval, moment) }

    /// The kernel could not be asked. Makes everything due a little later.
    mutating func failed(at now: BootTime) {
        announced.addEverything()
        windowEnd = max(windowEnd, now.advanced(by: Pace.retryDelay))
    }

    /// An evaluation has ended.
    ///
    /// - Parameters:
    ///   - due: the work of the evaluation.
    ///   - entries: the entries whose answers are not proved.
    ///   - hasFoundChange: whether any answer differed from the one before.
    ///   - duration: the processor time that it took, without waits for the kernel or for a processor.
    mutating func evaluated(
        _ due: Due, unproved entries: [Entry], hasFoundChange: Bool, taking duration: Duration, until now: BootTime
    ) {
        var delay = pace.unproved
        switch due.occasion {
        case .asked where entries.isEmpty: return
        case .asked:
            // The kernel may be making a change that it announced before it was asked.
            unproved.mayBeUnderWay = true
        case .announced:
            occupy(duration, until: now)
            windowEnd = max(windowEnd, now.advanced(by: Pace.window))
            guard !entries.isEmpty else { return }
            if due.mayBeUnderWay { unproved.mayBeUnderWay = true }
            // If no answer changed although a change may be under way, the kernel is asked again at once. Otherwise the processor
            // is left to the callbacks for as long as this evaluation took.
            delay = due.mayBeUnderWay && !hasFoundChange ? .zero : max(delay, duration)
        case .unproved:
            occupy(duration, until: now)
            if let delay = pace.late, !entries.isEmpty {
                late.add(entries, because: due.causes, at: now.advanced(by: delay))
            }
            return
        case .late, .ended, .everything: return occupy(duration, until: now)
        }
        unproved.add(entries, because: due.causes, at: now.advanced(by: delay))
    }

    private mutating func occupy(_ duration: Duration, until now: BootTime) {
        windowEnd = max(windowEnd.advanced(by: duration * 4), now.advanced(by: duration * 3))
    }
}

/// The delays of an engine.
package struct Pace: Hashable, Sendable {
    /// The shortest window. One administrative action sends a handful of messages within this time (measured:
    /// `ip link set … down` sends its 3 to 15 within 0.3 ms), and no person or connection attempt notices the delay.
    package static let window: Duration = .milliseconds(2)
    /// The time between attempts where the kernel cannot be asked.
    package static let retryDelay: Duration = .milliseconds(100)
    /// The time between two evaluations of everything where the kernel does not announce all changes.
    package static let recheckInterval: Duration = .seconds(2)

    /// The delay after which the kernel is asked again, under its lock, for an answer that is not proved.
    package var unproved: Duration
    /// The delay after which it is asked once more, in case a change had to wait for a processor; nil for never.
    package var late: Duration?

    package static let standard = Pace(unproved: .microseconds(250), late: .milliseconds(20))
    package static let withoutLate = Pace(unproved: .zero, late: nil)

    package init(unproved: Duration, late: Duration?) { (self.unproved, self.late) = (unproved, late) }

    /// The delays of an engine whose ``SharedEngine`` has no others. The repeated requests would also find changes whose
    /// announcement was lost, and so hide such losses from tests; in debug builds the environment can switch them off.
    /// `Scripts/test` does.
    package static let ofProcess: Pace = {
        #if DEBUG
        if EnvironmentVariable.value(of: "REACHABILITY_NO_REPETITIONS") != nil { return withoutLate }
        #endif
        return standard
    }()
}
