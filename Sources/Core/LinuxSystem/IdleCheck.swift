// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CLinux

/// Tells any number of threads at once whether a descriptor has something to read.
///
/// epoll_wait(2) with a timeout of zero is the cheapest system call for this, but two threads must not ask one epoll
/// instance at the same time. To report a descriptor, the kernel takes it off the instance's ready list for a moment.
/// Another thread looks at that list without the lock and may find it empty (`ep_events_available` in fs/eventpoll.c, Linux
/// 5.0 and later; seen on 6.1). So there are up to four instances, opened when they are first used, and each serves one thread
/// at a time. A thread that finds its instance taken calls poll(2), which looks at the descriptor itself and costs nearly twice
/// as much.
package struct IdleCheck: ~Copyable, Sendable {
    /// An epoll instance for the descriptor, opened when it is first used.
    package struct Instance: ~Copyable, Sendable {
        private var wasTried = false
        /// Nil if it could not be opened.
        private var epoll: Epoll?

        fileprivate mutating func isIdle(_ descriptor: Int32) -> Bool? {
            if !wasTried {
                wasTried = true
                epoll = try? Self.open(for: descriptor)
            }
            return switch epoll {
            case .some(let epoll): !epoll.isReady
            case nil: nil
            }
        }

        private static func open(for descriptor: Int32) throws(Errno) -> Epoll {
            let epoll = try Epoll()
            try epoll.add(descriptor, .readable, token: 0)
            return epoll
        }
    }

    /// An instance and its lock, in a cache line of its own.
    private struct Lane: ~Copyable, Sendable {
        let instance = TryLock(Instance())
        private let padding = InlineArray<7, UInt64>(repeating: 0)

        /// Nil if there is no instance, or if another thread uses it.
        ///
        /// A method of the lane, as Swift 6.2 calls one on an element of `lanes`, but not one on a part of the element.
        @inline(__always)
        func isIdle(_ descriptor: Int32) -> Bool? { instance.withLockIfAvailable { $0.isIdle(descriptor) } ?? nil }
    }

    private let lanes: InlineArray<4, Lane>
    private let descriptor: Int32

    package init(_ descriptor: Int32) {
        lanes = InlineArray { _ in Lane() }
        self.descriptor = descriptor
    }

    /// The lane of the calling thread: always the same, and another for most other threads.
    private static var lane: Int {
        // Thread numbers are addresses far apart. The upper bits of the product depend on all of their bits (Knuth).
        Int(truncatingIfNeeded: (UInt64(Thread.currentNumber) &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }

    /// Whether nothing is queued now. False if that cannot be found out. What the caller reads afterwards is read later.
    package var isIdle: Bool {
        // A thread that ended in epoll_wait(2) would keep its lane for good.
        disablingCancellation { lanes[Self.lane].isIdle(descriptor) ?? isIdleByPoll }
    }

    private var isIdleByPoll: Bool { Self.isIdleByPoll(descriptor) }

    /// The same by poll(2) alone.
    @inline(never)
    package static func isIdleByPoll(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&request, 1, 0)
        atomicMemoryFence(ordering: .acquiring)
        return count == 0
    }
}
