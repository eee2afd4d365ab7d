// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CReachabilityLinux

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
        try control(EPOLL_CTL_MOD, target, interest, token, .epollModify)
    }

    package func remove(_ target: Int32) throws(Errno) {
        try control(EPOLL_CTL_DEL, target, [], 0)
    }

    private func control(
        _ operation: Int32, _ target: Int32, _ interest: Interest, _ token: UInt64,
        _ call: FaultInjection.Call = .epollControl
    ) throws(Errno) {
        _ = try descriptor.call(call) {
            var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
            return unsafe epoll_ctl($0, operation, target, &event)
        }
    }

    /// Whether a descriptor is ready now. A failure counts as ready. Memory that the caller reads afterwards is read after the
    /// descriptor; a system call alone does not ensure that order (Docs/Decisions.md).
    package var isReady: Bool { Self.isReady(descriptor.rawValue) }

    /// The same, for the number of an instance. The calling thread is not cancelled here (`clinux_is_ready`).
    @inline(__always)
    static func isReady(_ descriptor: Int32) -> Bool {
        let isReady = clinux_is_ready(descriptor)
        atomicMemoryFence(ordering: .acquiring)
        return isReady
    }

    /// Gives the instance up. The caller must close its descriptor.
    consuming func release() -> Int32 { descriptor.release() }

    /// Puts an empty instance, which is never ready, under this instance's number, in the child of a fork. The parent keeps this
    /// instance. Does nothing if the program has another file under the number by now.
    ///
    /// - Parameter member: a descriptor that is registered here. The number is still that of this instance if `member` cannot be
    ///   registered again (EEXIST, epoll_ctl(2)).
    /// - Returns: false if no descriptor is left for the empty instance.
    package func leave(knownBy member: Int32) -> Bool {
        do throws(Errno) {
            try add(member, [], token: 0)
            try remove(member)
        } catch .fileExists {
            guard let nothing = try? Epoll() else { return false }
            return clinux_duplicate_as(nothing.rawDescriptor, rawDescriptor) >= 0
        } catch {}
        return true
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
