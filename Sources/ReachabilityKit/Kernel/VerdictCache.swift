// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Flags that were true under one generation of the kernel's state, and until a moment.
///
/// Read without a lock or a wait, so that any number of threads can, and the child of a fork too, whatever the
/// parent's threads were doing. A writer makes the version odd while it writes; a reader that sees it odd or changed
/// takes nothing, and a writer that finds another at work leaves the cache to it.
package struct VerdictCache: ~Copyable, Sendable {
    private let version = Atomic<UInt32>(0)
    private let content = Atomic<UInt32>(0)
    private let generation = Atomic<UInt64>(0)
    private let deadline = Atomic<UInt64>(0)
    private let tag = Atomic<UInt64>(0)

    package struct Entry: Hashable, Sendable {
        package var flags: ReachabilityFlags
        package var generation: UInt64
        /// The moment the kernel's answer ends of itself, in nanoseconds of BootTime; `never` if it does not.
        package var deadline: UInt64
        /// Which of a name's answers the flags were made from; 0 for an address.
        package var tag: UInt64
        /// Whether the deadline is ours, set to ask once more, and not the kernel's.
        package var isProvisional: Bool

        package static let never = UInt64.max

        package init(
            flags: ReachabilityFlags, generation: UInt64, deadline: UInt64, tag: UInt64 = 0, isProvisional: Bool
        ) {
            self.flags = flags
            self.generation = generation
            self.deadline = deadline
            self.tag = tag
            self.isProvisional = isProvisional
        }
    }

    package init() {}

    private static let provisionalBit: UInt32 = 1 << 31

    /// The entry, where there is one and nobody is writing.
    @inline(__always)
    package func load() -> Entry? {
        let before = version.load(ordering: .acquiring)
        guard before & 1 == 0, before != 0 else { return nil }
        let word = content.load(ordering: .relaxed)
        let entry = Entry(
            flags: ReachabilityFlags(rawValue: word & ~Self.provisionalBit),
            generation: generation.load(ordering: .relaxed),
            deadline: deadline.load(ordering: .relaxed),
            tag: tag.load(ordering: .relaxed),
            isProvisional: word & Self.provisionalBit != 0)
        atomicMemoryFence(ordering: .acquiring)
        return version.load(ordering: .relaxed) == before ? entry : nil
    }

    /// Keeps a verdict for as long as it can be used.
    ///
    /// - Parameter now: a moment before the kernel was asked, from which on its answer's time is counted.
    func keep(_ timed: TimedVerdict, generation: UInt64, tag: UInt64, askedAt now: UInt64) {
        let nanosecondsPerTick = UInt64(1_000_000_000 / clockTicksPerSecond)
        var entry = Entry(
            flags: timed.verdict.flags, generation: generation, deadline: Entry.never, tag: tag, isProvisional: false)
        if let ticks = timed.expiresInTicks {
            entry.deadline = now + UInt64(ticks) * nanosecondsPerTick
        } else if timed.expiryIsUncertain {
            // The kernel counts whole ticks, so the last one of a route's life reads as "for ever". An answer that
            // says so twice, more than a tick apart and with no change between, means it.
            let previous = load()
            if previous?.generation != generation || previous?.tag != tag || previous?.isProvisional == false {
                entry.deadline = now + 2 * nanosecondsPerTick
                entry.isProvisional = true
            }
        }
        store(entry)
    }

    /// Puts an entry in, unless somebody else is doing so.
    package func store(_ entry: Entry) {
        let before = version.load(ordering: .relaxed)
        guard before & 1 == 0,
            version.compareExchange(expected: before, desired: before | 1, ordering: .acquiring).exchanged
        else { return }
        atomicMemoryFence(ordering: .releasing)
        content.store(
            entry.flags.rawValue | (entry.isProvisional ? Self.provisionalBit : 0), ordering: .relaxed)
        generation.store(entry.generation, ordering: .relaxed)
        deadline.store(entry.deadline, ordering: .relaxed)
        tag.store(entry.tag, ordering: .relaxed)
        // Zero means "never written", so the count steps over it.
        let after = before &+ 2
        version.store(after == 0 ? 2 : after, ordering: .releasing)
    }
}
