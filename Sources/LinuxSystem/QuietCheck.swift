// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@_implementationOnly import CLinux

/// Whether nothing is queued on one or two descriptors, for any number of threads that ask at once.
///
/// epoll_wait(2) that does not wait is the cheapest way to ask, but not with company: to report what is ready it takes
/// that off the instance's list for a moment, and who looks at the list just then, which is done without its lock, may
/// find nothing (`ep_events_available` in fs/eventpoll.c, Linux 5.0 and later; seen on 6.1). So an instance is asked by
/// one thread at a time. There are a few, that threads seldom meet, and who finds one taken asks poll(2), which looks at
/// the descriptors themselves and costs nearly twice as much.
package struct QuietCheck: ~Copyable, Sendable {
    /// Which of the descriptors have something queued.
    package struct Queues: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let first = Queues(rawValue: 1)
        package static let second = Queues(rawValue: 2)

        /// What every option set has, but without going through its protocol, which costs as much as the rest of a look.
        package var isEmpty: Bool { rawValue == 0 }
    }

    /// An instance, where it could be had, and whether somebody is asking it.
    private struct Lane: ~Copyable, Sendable {
        private let epoll: Epoll?
        private let isTaken = Atomic(false)
        /// Keeps the next one out of this one's cache line.
        private let padding = InlineArray<7, UInt64>(repeating: 0)

        init(_ first: Int32, _ second: Int32) {
            epoll = try? Self.open(first, second)
        }

        private static func open(_ first: Int32, _ second: Int32) throws(Errno) -> Epoll {
            let epoll = try Epoll()
            try epoll.add(first, .readable, token: Queues.first.rawValue)
            if second >= 0 { try epoll.add(second, .readable, token: Queues.second.rawValue) }
            return epoll
        }

        /// What is queued; nil where there is no instance, or it is somebody else's turn.
        @inline(__always)
        var queued: Queues? {
            guard !isTaken.exchange(true, ordering: .acquiring) else { return nil }
            defer { isTaken.store(false, ordering: .releasing) }
            switch epoll {
            case .some(let epoll): return Queues(rawValue: epoll.readyBits)
            case nil: return nil
            }
        }
    }

    private let lanes: InlineArray<4, Lane>
    private let first: Int32
    private let second: Int32

    /// - Parameter second: left out of account where it is negative.
    package init(_ first: Int32, _ second: Int32 = -1) {
        lanes = InlineArray { _ in Lane(first, second) }
        self.first = first
        self.second = second
    }

    /// The calling thread's place: the same each time, and another for most other threads.
    private static var lane: Int {
        // The numbers of threads are addresses far apart; the product's upper bits depend on all of theirs (Knuth).
        Int(truncatingIfNeeded: (UInt64(Thread.currentNumber) &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }

    /// Whether nothing is queued now.
    package var isQuiet: Bool { queued.isEmpty }

    /// What is queued now; everything, where that cannot be told, which is the safe side.
    @inline(__always)
    package var queued: Queues {
        lanes[Self.lane].queued ?? queuedByPoll
    }

    /// The same, without epoll.
    package var queuedByPoll: Queues { Self.queuedByPoll(first, second) }

    static func queuedByPoll(_ first: Int32, _ second: Int32) -> Queues {
        let interest = Int16(POLLIN)
        var pair = (pollfd(fd: first, events: interest, revents: 0), pollfd(fd: second, events: interest, revents: 0))
        let count = unsafe withUnsafeMutablePointer(to: &pair) { pair in
            // A tuple of two lies in memory as an array of two does.
            unsafe poll(UnsafeMutableRawPointer(pair).assumingMemoryBound(to: pollfd.self), 2, 0)
        }
        guard count >= 0 else { return [.first, .second] }
        var queues: Queues = []
        if pair.0.revents != 0 { queues.insert(.first) }
        if pair.1.revents != 0 { queues.insert(.second) }
        return queues
    }
}
