// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Flags that are true under one generation of the kernel's state, and until a moment.
///
/// Reading takes no lock and never waits, so any number of threads can read, also in the child of a fork. A writer makes the
/// version odd while it writes. A reader that sees an odd or changed version gets nothing. A writer that finds another at
/// work writes nothing.
package struct VerdictCache: ~Copyable, Sendable {
    private let version = Atomic<UInt32>(0)
    private let content = Atomic<UInt32>(0)
    private let generation = Atomic<UInt64>(0)
    private let deadline = Atomic<UInt64>(0)
    private let tag = Atomic<UInt64>(0)

    package struct Entry: Hashable, Sendable {
        package var flags: ReachabilityFlags
        package var generation: UInt64
        /// When the kernel's answer expires, in nanoseconds of BootTime.
        package var deadline: UInt64
        /// The serial number of the resolution from which the flags were made; 0 for an address.
        package var tag: UInt64
        /// Whether the deadline was set in order to ask once more, instead of by the kernel.
        package var isProvisional: Bool

        package static var never: UInt64 { .max }

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

    // Constants here are computed, because a lazily initialised one would cost a check or a lock at each question.
    private static var provisionalBit: UInt32 { 1 << 31 }

    /// The entry; nil if there is none or a thread is writing.
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
    /// - Parameter now: a moment before the kernel was asked. The lifetime of its answer counts from there.
    func keep(_ timed: TimedVerdict, generation: UInt64, tag: UInt64, askedAt now: UInt64) {
        var nanosecondsPerTick: UInt64 { UInt64(1_000_000_000 / clockTicksPerSecond) }
        var entry = Entry(
            flags: timed.verdict.flags, generation: generation, deadline: Entry.never, tag: tag, isProvisional: false)
        if let ticks = timed.expiresInTicks {
            entry.deadline = now + UInt64(ticks) * nanosecondsPerTick
        } else if timed.expiryIsUncertain {
            // The kernel counts whole ticks, so a route in its last tick seems to live for ever. An answer means it if it
            // comes twice, more than a tick apart and without a change in between.
            let previous = load()
            if previous?.generation != generation || previous?.tag != tag || previous?.isProvisional == false {
                entry.deadline = now + 2 * nanosecondsPerTick
                entry.isProvisional = true
            }
        }
        store(entry)
    }

    /// Stores an entry, unless another thread is storing one.
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
        // Zero means "never written", so it is skipped.
        let after = before &+ 2
        version.store(after == 0 ? 2 : after, ordering: .releasing)
    }
}
