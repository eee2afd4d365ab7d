// SPDX-License-Identifier: Apache-2.0

import LinuxLibc
import Synchronization

@_implementationOnly import CLinux

/// Tells any number of threads at once whether a descriptor has something to read.
///
/// epoll_wait(2) with a timeout of zero is the cheapest system call for this, but two threads must not ask one epoll
/// instance at the same time. To report a descriptor, the kernel takes it off the instance's ready list for a moment.
/// Another thread looks at that list without the lock and may find it empty (`ep_events_available` in fs/eventpoll.c, Linux
/// 5.0 and later; seen on 6.1). So there are four instances, and each serves one thread at a time. A thread that finds its
/// instance taken calls poll(2), which looks at the descriptor itself and costs nearly twice as much.
package struct IdleCheck: ~Copyable, Sendable {
    /// An epoll instance, if it could be opened, and its lock.
    private struct Lane: ~Copyable, Sendable {
        private let epoll: Epoll?
        private let lock = TryLock()
        /// Keeps the next lane out of this one's cache line.
        private let padding = InlineArray<7, UInt64>(repeating: 0)

        init(_ descriptor: Int32) {
            epoll = try? Self.open(descriptor)
        }

        private static func open(_ descriptor: Int32) throws(Errno) -> Epoll {
            let epoll = try Epoll()
            try epoll.add(descriptor, .readable, token: 0)
            return epoll
        }

        /// Whether nothing is queued; nil if there is no instance or another thread uses it.
        ///
        /// A function: Swift 6.2 takes a property of an element of `lanes` for a use that consumes the element.
        @inline(__always)
        func isIdle() -> Bool? {
            lock.withLockIfFree {
                switch epoll {
                case .some(let epoll): !epoll.isReady as Bool?
                case nil: nil
                }
            } ?? nil
        }
    }

    /// Asked first.
    package let fast: FastIdleCheck
    private let lanes: InlineArray<4, Lane>
    private let descriptor: Int32

    package init(_ descriptor: Int32, fast: FastIdleCheck = FastIdleCheck()) {
        self.fast = fast
        lanes = InlineArray { _ in Lane(descriptor) }
        self.descriptor = descriptor
    }

    /// The lane of the calling thread: always the same, and another for most other threads.
    private static var lane: Int {
        // Thread numbers are addresses far apart. The upper bits of the product depend on all of their bits (Knuth).
        Int(truncatingIfNeeded: (UInt64(Thread.currentNumber) &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }

    /// Whether nothing is queued now. False if that cannot be found out. What the caller reads afterwards is read later.
    package var isIdle: Bool {
        if fast.isIdle { return true }
        // A thread that ended in epoll_wait(2) would keep its lane for good.
        guard withoutCancellation({ lanes[Self.lane].isIdle() ?? isIdleByPoll }) else { return false }
        fast.recordMiss()
        return true
    }

    /// The same by poll(2) alone.
    package var isIdleByPoll: Bool { Self.isIdleByPoll(descriptor) }

    @inline(never)
    package static func isIdleByPoll(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&request, 1, 0)
        atomicMemoryFence(ordering: .acquiring)
        return count == 0
    }
}
