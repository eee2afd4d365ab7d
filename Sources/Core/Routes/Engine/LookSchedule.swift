// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// When the engine looks, and at what. A value that only decides: ``EngineCore`` looks, and wakes up for `next`.
///
/// **Changes** are looked at at once after silence. A window opens at the end of each look, and changes that arrive inside it
/// wait for its end. Further changes do not extend it, so that even an endless storm is looked at once per window.
///
/// **Looking takes a quarter of one processor at most.** Each look makes the window longer by four times the processor's time that it
/// took. So beside very many targets a change waits longer. Time in which there was no window counts for nothing later.
///
/// **Each look is repeated**, as a net. The kernel announces some changes before it makes them: a deleted IPv4 route
/// (fib_table_delete in net/ipv4/fib_trie.c), and a link that goes down or loses its last address, whose routes it then removes
/// without a further announcement. The engine's thread, woken by the announcement, may take the processor from the thread that
/// makes the change. A lookup then sees the old state, and no other announcement follows. ``EngineCore`` waits for
/// the lock under which such a change is made. IPv6 routes change without it since Linux 6.16. What a look under the lock has
/// found about IPv4 is proved, so a repetition only asks about the other targets.
///
/// **Where the kernel does not announce all changes**, everything is looked at at an interval. Such a look is not repeated.
///
/// **The end of a route's lifetime** is announced too late, so a look is due at that moment.
package struct LookSchedule: Sendable {
    package enum Look: Sendable {
        case atChanges(PendingChanges)
        /// A repetition. In stage 0 the kernel may not have made a change yet that the look before has not found. The further
        /// stages are those of `repetitions`.
        case again(PendingChanges, stage: Int)
        /// Without an announcement.
        case atEverything(PendingChanges)
        /// Routes have ended.
        case atExpired
    }

    /// The shortest window. One administrative action sends a handful of messages within this time (measured:
    /// `ip link set … down` sends its 3 to 15 within 0.3 ms), and no person or connection attempt notices the delay.
    package static let window: Duration = .milliseconds(2)
    /// The time between the repetitions. The first is for a change that the engine's thread has interrupted. The second is for
    /// one that has to wait for a processor.
    package static let standardRepetitions: [Duration] = [.microseconds(250), .milliseconds(20)]
    /// What an engine uses, unless its ``SharedEngine`` was given something else. Repetitions would find what a lost
    /// announcement was about, so in debug builds the environment can switch them off. `Scripts/test` does.
    package static let repetitions: [Duration] = {
        #if DEBUG
        if EnvironmentVariable.value(of: "REACHABILITY_NO_REPETITIONS") != nil { return [] }
        #endif
        return standardRepetitions
    }()
    /// The time between two looks where the kernel does not announce all changes.
    package static let recheckInterval: Duration = .seconds(2)
    /// The time between attempts where the kernel cannot be asked.
    package static let retryDelay: Duration = .milliseconds(100)

    /// What has not been looked at yet.
    package var changes = PendingChanges()
    private var windowEnd = BootTime(nanoseconds: 0)
    /// How long after the stage before each repetition is due.
    private let delays: [Duration]
    private var repeated: [(due: BootTime, changes: PendingChanges)]
    private var expiry = BootTime.distantFuture
    private var recheck = BootTime.distantFuture

    package init(repetitions: [Duration]) {
        delays = [.zero] + repetitions
        repeated = delays.map { _ in (.distantFuture, PendingChanges()) }
    }

    /// When the next look is due; in the distant future if none is.
    package var next: BootTime {
        var next = min(changes.isEmpty ? .distantFuture : windowEnd, min(expiry, recheck))
        for stage in repeated { next = min(next, stage.due) }
        return next
    }

    /// Removes and returns a look that is due.
    package mutating func popDue(at now: BootTime) -> Look? {
        if !changes.isEmpty, windowEnd <= now { return .atChanges(changes.removeAll()) }
        if let stage = repeated.firstIndex(where: { $0.due <= now }) {
            repeated[stage].due = .distantFuture
            return .again(repeated[stage].changes.removeAll(), stage: stage)
        }
        if recheck <= now {
            recheck = .distantFuture
            var everything = PendingChanges()
            everything.addEverything()
            return .atEverything(everything)
        }
        guard expiry <= now else { return nil }
        expiry = .distantFuture
        return .atExpired
    }

    /// A look has ended. The first repetition leaves the processor to the callbacks for as long as the look took. If nothing was
    /// found where a change may be under way, it is due at once.
    ///
    /// - Parameter duration: the processor's time, without waits for the kernel or for a processor.
    package mutating func looked(
        _ look: Look, hasFoundChange: Bool, taking duration: Duration, until end: BootTime
    ) {
        windowEnd = max(windowEnd.advanced(by: duration * 4), end.advanced(by: duration * 3))
        switch look {
        case .atChanges(let changes):
            windowEnd = max(windowEnd, end.advanced(by: Self.window))
            if changes.mayComeAfterAnnouncement, !hasFoundChange {
                lookAgain(at: changes, stage: 0, now: end)
            } else {
                lookAgain(at: changes, stage: firstRepetition, now: end, after: duration)
            }
        case .again(let changes, let stage): lookAgain(at: changes, stage: stage + 1, now: end)
        case .atEverything, .atExpired: break
        }
    }

    /// Schedules the repetitions of a look that was not at changes.
    package mutating func lookAgain(at changes: PendingChanges, now: BootTime) {
        lookAgain(at: changes, stage: firstRepetition, now: now)
    }

    /// The first repetition that is not at once. Without any, it is the one at once, because a change may be under way.
    private var firstRepetition: Int { min(1, delays.count - 1) }

    private mutating func lookAgain(
        at changes: PendingChanges, stage: Int, now: BootTime, after leastDelay: Duration = .zero
    ) {
        guard stage < repeated.count, changes.hasRoutes else { return }
        repeated[stage].changes.addRoutes(of: changes)
        // Changes that join others get a short delay. The next stage is late enough for them.
        repeated[stage].due = min(repeated[stage].due, now.advanced(by: max(delays[stage], leastDelay)))
    }

    /// Everything is looked at at this moment, although nothing may have been announced.
    package mutating func rechecks(at moment: BootTime) {
        recheck = min(recheck, moment)
    }

    /// A route ends at this moment.
    package mutating func expires(at moment: BootTime) {
        expiry = min(expiry, moment)
    }

    /// The kernel could not be asked. Everything is looked at a little later.
    package mutating func failed(at now: BootTime) {
        changes.addEverything()
        windowEnd = max(windowEnd, now.advanced(by: Self.retryDelay))
    }
}
