// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CLinux

/// An epoll instance (epoll(7)).
package struct Epoll: ~Copyable, Sendable {
    /// The conditions of a descriptor.
    package struct Interest: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The kernel reports this in any case.
        package static let failed = Interest(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    /// The token given at registration, and the conditions that hold.
    package struct Event: Sendable {
        package let token: UInt64
        package let interest: Interest
    }

    private let descriptor: OwnedDescriptor

    package init() throws(Errno) {
        descriptor = try OwnedDescriptor(.epollCreate) { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    package func add(_ target: Int32, _ interest: Interest, token: UInt64) throws(Errno) {
        try control(EPOLL_CTL_ADD, target, interest, token)
    }

    package func modify(_ target: Int32, _ interest: Interest, token: UInt64) throws(Errno) {
        try control(EPOLL_CTL_MOD, target, interest, token)
    }

    package func remove(_ target: Int32) throws(Errno) {
        try control(EPOLL_CTL_DEL, target, [], 0)
    }

    private func control(_ operation: Int32, _ target: Int32, _ interest: Interest, _ token: UInt64) throws(Errno) {
        let rawValue = descriptor.rawValue
        _ = try valueOrErrno(.epollControl) {
            var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
            return unsafe epoll_ctl(rawValue, operation, target, &event)
        }
    }

    /// Whether a descriptor is ready now. A failure counts as ready. What the caller reads afterwards is read later than
    /// the descriptor: a system call alone does not order that (Docs/Decisions.md).
    package var isReady: Bool {
        var event = unsafe epoll_event()
        let count = unsafe epoll_wait(descriptor.rawValue, &event, 1, 0)
        atomicMemoryFence(ordering: .acquiring)
        return count != 0
    }

    /// Waits for events and passes them one by one. A negative timeout waits for ever.
    ///
    /// Returns without events if a signal interrupts the wait, so that the caller can check its deadline.
    package func wait(timeoutMilliseconds: Int32, _ body: (Event) -> Void) throws(Errno) {
        try FaultInjection.check(.epollWait)
        let capacity = 32
        let rawValue = descriptor.rawValue
        let outcome: Result<Void, Errno> = unsafe withUnsafeTemporaryAllocation(
            of: epoll_event.self, capacity: capacity
        ) {
            buffer in
            func wait() -> Int32 {
                unsafe epoll_wait(rawValue, buffer.baseAddress!, Int32(capacity), timeoutMilliseconds)
            }
            let count = timeoutMilliseconds == 0 ? wait() : waiting(wait)
            guard count >= 0 else {
                let error = Errno.current
                return error == .interrupted ? .success(()) : .failure(error)
            }
            for index in 0..<Int(count) {
                let event = unsafe buffer[index]
                unsafe body(Event(token: event.data.u64, interest: Interest(rawValue: event.events)))
            }
            return .success(())
        }
        try outcome.get()
    }
}

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
        let instance = Mutex(Instance())
        private let padding = InlineArray<7, UInt64>(repeating: 0)
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
        disablingCancellation { isIdleByEpoll(Self.lane) ?? isIdleByPoll }
    }

    /// Nil if there is no instance, or if another thread uses it.
    @inline(__always)
    private func isIdleByEpoll(_ lane: Int) -> Bool? {
        lanes[lane].instance.withLockIfAvailable { instance in
            instance.isIdle(descriptor)
        } ?? nil
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
