// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What can be asked whether something is queued, by one thread at a time: an epoll instance, or a stand-in for one.
package protocol QuietInstance: ~Copyable, Sendable {
    var isReady: Bool { get }
}

extension Epoll: QuietInstance {}

/// A few instances that are asked about the same thing, each by one thread at a time.
package struct QuietInstances<Instance: QuietInstance & ~Copyable>: ~Copyable, Sendable {
    /// An instance, where it could be had, and whether a thread is asking it.
    private struct Lane: ~Copyable, Sendable {
        private let instance: Instance?
        private let isTaken = Atomic(false)
        /// Keeps the next one out of this one's cache line.
        private let padding = InlineArray<7, UInt64>(repeating: 0)

        init(_ instance: consuming Instance?) {
            self.instance = instance
        }

        @inline(__always)
        var isQuiet: Bool? {
            guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
            defer { isTaken.store(false, ordering: .releasing) }
            switch instance {
            case .some(let instance): return !instance.isReady
            case nil: return nil
            }
        }
    }

    private let lanes: InlineArray<4, Lane>

    /// - Parameter make: makes an instance; nil where it cannot be had.
    package init(_ make: () -> Instance?) {
        lanes = InlineArray { _ in Lane(make()) }
    }

    /// Whether nothing is queued; nil where the calling thread's instance could not be had, or another thread is asking
    /// it.
    @inline(__always)
    package var isQuiet: Bool? { lanes[Self.place].isQuiet }

    /// The calling thread's place: the same each time, and another for most other threads.
    private static var place: Int {
        // The numbers of threads are addresses far apart; the product's upper bits depend on all of theirs (Knuth).
        Int(truncatingIfNeeded: (UInt64(Thread.currentNumber) &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }
}
