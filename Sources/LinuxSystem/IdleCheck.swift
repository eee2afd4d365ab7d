// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// Whether nothing is queued on a descriptor, for any number of threads that ask at once.
///
/// epoll_wait(2) that does not wait is the cheapest way to ask, but not with company: to report what is ready it takes
/// that off the instance's list for a moment, and who looks at the list just then, which is done without its lock, may
/// find nothing (`ep_events_available` in fs/eventpoll.c, Linux 5.0 and later; seen on 6.1). So an instance is asked by
/// one thread at a time. There are a few, that threads seldom meet, and who finds one taken asks poll(2), which looks at
/// the descriptor itself and costs nearly twice as much.
package struct IdleCheck: ~Copyable, Sendable {
    /// An instance, where it could be had, and whether a thread is asking it.
    private struct Lane: ~Copyable, Sendable {
        private let epoll: Epoll?
        private let turn = TryLock()
        /// Keeps the next one out of this one's cache line.
        private let padding = InlineArray<7, UInt64>(repeating: 0)

        init(_ descriptor: Int32) {
            epoll = try? Self.open(descriptor)
        }

        private static func open(_ descriptor: Int32) throws(Errno) -> Epoll {
            let epoll = try Epoll()
            try epoll.add(descriptor, .readable, token: 0)
            return epoll
        }

        /// Whether nothing is queued; nil where there is no instance, or another thread is asking it.
        @inline(__always)
        var isIdle: Bool? {
            turn.take {
                switch epoll {
                case .some(let epoll): !epoll.isReady
                case nil: nil
                }
            }
        }
    }

    private let lanes: InlineArray<4, Lane>
    private let descriptor: Int32

    package init(_ descriptor: Int32) {
        lanes = InlineArray { _ in Lane(descriptor) }
        self.descriptor = descriptor
    }

    /// The calling thread's place: the same each time, and another for most other threads.
    private static var lane: Int {
        // The numbers of threads are addresses far apart; the product's upper bits depend on all of theirs (Knuth).
        Int(truncatingIfNeeded: (UInt64(Thread.currentNumber) &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }

    /// Whether nothing is queued now; false where that cannot be told, which is the safe side.
    @inline(__always)
    package var isIdle: Bool {
        lanes[Self.lane].isIdle ?? isIdleByPoll
    }

    /// The same, without epoll.
    package var isIdleByPoll: Bool { Self.isIdleByPoll(descriptor) }

    @inline(never)
    package static func isIdleByPoll(_ descriptor: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return withoutCancellation { unsafe poll(&question, 1, 0) == 0 }
    }
}
