// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CReachabilityLinux

/// Tells any number of threads at once whether a descriptor has something to read.
///
/// epoll_wait(2) with a timeout of zero is the cheapest system call for this, but two threads must not call it for the same epoll
/// instance at the same time. To report a descriptor, the kernel takes it off the instance's ready list for a moment. Another
/// thread reads that list without the lock and may find it empty (`ep_events_available` in fs/eventpoll.c, Linux 5.0 and later;
/// seen on 6.1). So there are sixteen lanes with an instance each, and each thread uses one of them. A thread whose lane is in
/// use by another thread calls poll(2), which checks the descriptor itself and costs nearly twice as much.
package struct IdleCheck: ~Copyable, Sendable {
    /// A place for an epoll instance, in its own cache line. A thread takes the instance out while it uses it.
    private struct Lane: ~Copyable, Sendable {
        /// The number of the instance, or one of the two below.
        private let instance = Atomic(Self.unopened)
        private let padding = InlineArray<15, UInt32>(repeating: 0)

        /// No thread of this lane has needed the instance yet.
        private static var unopened: Int32 { -1 }
        /// A thread has taken the instance out, or the instance could not be opened.
        private static var taken: Int32 { -2 }

        /// Called when nothing uses it any more.
        func close() {
            let instance = instance.load(ordering: .acquiring)
            if instance >= 0 { _ = OwnedDescriptor(owning: instance) }
        }

        /// Nil if there is no instance, or if another thread uses it.
        ///
        /// A method of the lane, because Swift 6.2 can call a method on an element of `lanes`, but not on a part of the element.
        @inline(__always)
        func isIdle(_ descriptor: Int32) -> Bool? {
            var epoll = instance.exchange(Self.taken, ordering: .acquiring)
            if epoll < 0 {
                guard epoll == Self.unopened, let opened = Self.open(for: descriptor) else { return nil }
                epoll = opened
            }
            let isReady = Epoll.isReady(epoll)
            instance.store(epoll, ordering: .releasing)
            return !isReady
        }

        @inline(never)
        private static func open(for descriptor: Int32) -> Int32? {
            disablingCancellation {
                guard let epoll = try? Epoll(), (try? epoll.add(descriptor, .readable, token: 0)) != nil else {
                    return nil
                }
                return epoll.release()
            }
        }
    }

    private let lanes: InlineArray<16, Lane>
    private let descriptor: Int32
    private let epoch = ForkEpoch()

    package init(_ descriptor: Int32) {
        lanes = InlineArray { _ in Lane() }
        self.descriptor = descriptor
    }

    deinit {
        // The child of a fork closes nothing.
        if epoch.isCurrent { for lane in lanes.indices { lanes[lane].close() } }
    }

    /// Whether nothing is queued now. False if that cannot be found out. Memory that the caller reads afterwards is read after
    /// this check.
    package var isIdle: Bool {
        lanes[Int(clinux_thread_number() % UInt32(lanes.count))].isIdle(descriptor) ?? isIdleByPoll
    }

    private var isIdleByPoll: Bool { Self.isIdleByPoll(descriptor) }

    /// The same by poll(2) alone.
    @inline(never)
    package static func isIdleByPoll(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = disablingCancellation { unsafe poll(&request, 1, 0) }
        atomicMemoryFence(ordering: .acquiring)
        return count == 0
    }
}
