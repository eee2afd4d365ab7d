// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// What has to be evaluated, why, and when. A value that only decides: ``EngineCore`` evaluates, and wakes up for `next`.
///
/// Everything that is due is in one of six places, each with a moment. The one that has been due for longest is taken as a whole
/// (``Occasion``). What becomes due meanwhile belongs to the next, so no storm of changes keeps the others waiting.
///
/// - **Asked for**: a new subscriber waits for the present answer, or a part of the program has found out something. At once.
/// - **Announced**: at once after silence. A window opens at the end of each evaluation, and changes that arrive inside it wait for its
///   end. Further changes do not extend it, so that even an endless storm is evaluated once per window.
/// - **Unproved**: what was just evaluated, and may have been asked about too early. The kernel announces some changes before it makes
///   them: a deleted IPv4 route (fib_table_delete in net/ipv4/fib_trie.c), and a link that goes down or loses its last address, whose
///   routes it then removes without a further announcement. The engine's thread, woken by the announcement, may take the processor from
///   the thread that makes the change. So the answer is asked for again under the kernel's lock, which proves it for IPv4.
/// - **Late**: what the lock has not proved, because IPv6 routes change without it since Linux 6.16. It is asked for once more.
/// - **Ended**: the end of a route's lifetime is announced too late, so an evaluation is due at that moment.
/// - **Everything**, at an interval, where the kernel does not announce all changes.
///
/// **Evaluating takes a quarter of one processor at most.** Each evaluation makes the window longer by four times the processor's time
/// that it took. So beside very many targets a change waits longer. Time in which there was no window counts for nothing later.
///
/// `Entry` is what is evaluated: for an engine, something watched.
struct Agenda<Entry> {
    /// Why something is due.
    enum Occasion: Sendable {
        case asked
        case announced(PendingChanges)
        case unproved, late
        case ended
        case everything
    }

    /// What is due together.
    struct Due {
        let occasion: Occasion
        /// Empty where the occasion says what is concerned.
        var entries: [Entry] = []
        /// What was announced before.
        var causes = ChangeKinds()
        /// Whether the kernel may be making a change under its lock (RTNL). A request that waits for the lock finds it made.
        var mayBeUnderWay = false
        fileprivate var moment = BootTime.distantFuture

        fileprivate init(_ occasion: Occasion) { self.occasion = occasion }

        var isAsked: Bool { if case .asked = occasion { true } else { false } }

        /// Adds what is due a little later. What joins others gets a shorter delay.
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

    /// What was announced and not evaluated yet.
    var announced = PendingChanges()
    private var windowEnd = BootTime(nanoseconds: 0)
    private var asked = Due(.asked)
    private var unproved = Due(.unproved)
    private var late = Due(.late)
    private var end = BootTime.distantFuture
    private var interval = BootTime.distantFuture
    private let pace: Pace

    init(_ pace: Pace) { self.pace = pace }

    /// When something is due next; in the distant future if nothing is.
    var next: BootTime { min(nextOfChanges, end, interval) }

    /// The same of what was asked for or announced, and of what may have been asked about too early.
    var nextOfChanges: BootTime {
        min(announced.isEmpty ? .distantFuture : windowEnd, asked.moment, unproved.moment, late.moment)
    }

    /// Removes and returns what has been due for longest; nil if nothing is due. What was announced goes before all that is not asked
    /// for, so that what one change leads to is told together. Its window leaves time for the others.
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

    /// Removes and returns what was asked for; nil if nothing was.
    mutating func popAsked(at now: BootTime) -> Due? { asked.moment <= now ? asked.take() : nil }

    // MARK: What makes something due

    /// Makes these entries due, because a subscriber or another part of the package waits for their answers.
    mutating func ask(for entries: some Sequence<Entry>, at moment: BootTime) {
        asked.entries.append(contentsOf: entries)
        asked.moment = min(asked.moment, moment)
    }

    /// A route ends at this moment.
    mutating func ends(at moment: BootTime) { end = min(end, moment) }

    /// Everything is due at this moment, although nothing may have been announced.
    mutating func everything(at moment: BootTime) { interval = min(interval, moment) }

    /// The kernel could not be asked. Everything is due a little later.
    mutating func failed(at now: BootTime) {
        announced.addEverything()
        windowEnd = max(windowEnd, now.advanced(by: Pace.retryDelay))
    }

    /// An evaluation has ended.
    ///
    /// - Parameters:
    ///   - due: what was evaluated.
    ///   - entries: those of which the answer is not proved.
    ///   - hasFoundChange: whether any answer was another than before.
    ///   - duration: the processor's time, without waits for the kernel or for a processor.
    mutating func evaluated(
        _ due: Due, unproved entries: [Entry], hasFoundChange: Bool, taking duration: Duration, until now: BootTime
    ) {
        var delay = pace.unproved
        switch due.occasion {
        case .asked where entries.isEmpty: return
        case .asked:
            // The kernel may be making a change that it announced before the question.
            unproved.mayBeUnderWay = true
        case .announced:
            occupy(duration, until: now)
            windowEnd = max(windowEnd, now.advanced(by: Pace.window))
            guard !entries.isEmpty else { return }
            if due.mayBeUnderWay { unproved.mayBeUnderWay = true }
            // Where nothing was found and a change may be under way, it is asked for again at once. Otherwise the processor is left to
            // the callbacks for as long as this took.
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

/// How soon things are due.
package struct Pace: Hashable, Sendable {
    /// The shortest window. One administrative action sends a handful of messages within this time (measured:
    /// `ip link set … down` sends its 3 to 15 within 0.3 ms), and no person or connection attempt notices the delay.
    package static let window: Duration = .milliseconds(2)
    /// The time between attempts where the kernel cannot be asked.
    package static let retryDelay: Duration = .milliseconds(100)
    /// The time between two evaluations of everything where the kernel does not announce all changes.
    package static let recheckInterval: Duration = .seconds(2)

    /// After this time an answer that is not proved is asked for under the kernel's lock.
    package var unproved: Duration
    /// After this time it is asked for once more, for a change that has to wait for a processor; nil for never.
    package var late: Duration?

    package static let standard = Pace(unproved: .microseconds(250), late: .milliseconds(20))
    package static let withoutLate = Pace(unproved: .zero, late: nil)

    package init(unproved: Duration, late: Duration?) { (self.unproved, self.late) = (unproved, late) }

    /// What an engine uses, unless its ``SharedEngine`` was given something else. Repetitions would find what a lost
    /// announcement was about, so in debug builds the environment can switch them off. `Scripts/test` does.
    package static let ofProcess: Pace = {
        #if DEBUG
        if EnvironmentVariable.value(of: "REACHABILITY_NO_REPETITIONS") != nil { return withoutLate }
        #endif
        return standard
    }()
}
