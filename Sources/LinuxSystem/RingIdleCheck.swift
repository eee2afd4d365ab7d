// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Synchronization

@_implementationOnly import CLinux

/// Knows without a system call that nothing has come to a socket: by io_uring, where the kernel allows it.
///
/// In a ring (`ring.c`) a poll of the socket is under way that lasts. When something comes, the kernel runs the poll's
/// wake-up inside the call that sent it. The ring is set up so that this puts the work off until the ring's thread asks
/// for it (IORING_SETUP_DEFER_TASKRUN, Linux 6.1), and says so in memory that it shares with us
/// (IORING_SETUP_TASKRUN_FLAG). Any thread may read that; only the thread that made the ring, the *host*, may have its
/// work done. Until it has, the ring is tripped, and who wants to know has to ask in another way.
///
/// *The claim*: when `isIdle` says so, everything that was sent by calls that had returned before it was asked has
/// been received by somebody, before the last arming. *The reasons*:
///
/// 1. The host arms in this order: take the number away, have the ring's work done until it is still, see with poll(2)
///    that the socket is empty, publish a new number. A reader sees a number, the ring still, and the same number again.
///    So a ring that is still only because the host is just then doing its work does not count: whoever sees any of that
///    sees the number gone as well.
/// 2. What came before the socket was seen empty was received before that, and whatever the receiver did before
///    receiving is visible to the reader, through the socket, the host and the number.
/// 3. What came after has woken the poll, which was waiting all along, and the flag was set before that call returned. A
///    poll that ends with its first event takes itself off the socket before it sets the flag. Somebody else's event in
///    between finds nobody to wake, and his call may return first. A lasting one (IORING_POLL_ADD_MULTI) stays, and
///    whoever comes second waits for the first under the lock of the socket's wait queue (io_poll_wake in
///    io_uring/poll.c).
/// 4. Between arming and disarming nobody else clears the flag: that takes a system call of the host's thread.
///
/// The ring is in memory of ours (IORING_SETUP_NO_MMAP, Linux 6.5), at an address that stays as long as this object,
/// whether there is a ring or not. A reader that is late reads what means nothing there, and then finds the number gone.
@safe package final class RingIdleCheck: @unchecked Sendable {  // what is not atomic is for the host's thread
    private let ring: OpaquePointer
    private let socket: Int32
    /// The number of the present arming, of which there are never two alike; 0 for none.
    private let arming = Atomic<UInt64>(0)
    private let armings = Atomic<UInt64>(0)
    private var isOpen = false

    private let hosts = Mutex<[EventLoop]>([])
    private let credit = Atomic<Int>(0)
    /// How often it has to be said that this would have been of use, before the host is asked to arm it. To wake a
    /// thread for that takes about as long as so many questions asked in another way: what is spent on arming is at most
    /// what was lost without.
    package let patience = Atomic<Int>(100)

    #if DEBUG
        private let answers = Atomic<Int>(0)
        /// How often the answer was "quiet".
        package var answerCount: Int { answers.load(ordering: .relaxed) }
    #endif

    /// Makes no system call; that is done when somebody wants it.
    ///
    /// - Parameter socket: is open as long as this lives.
    package init(_ socket: Int32) {
        // Without memory for this there is none for anything of Swift's either.
        unsafe ring = clinux_ring_new()!
        self.socket = socket
    }

    deinit {
        precondition(!isOpen, "a host has not left")
        unsafe clinux_ring_free(ring)
    }

    // MARK: From any thread

    /// Whether nothing has come, as far as this can tell. False says nothing.
    package var isIdle: Bool { isIdle(meanwhile: {}) }

    /// - Parameter meanwhile: what a test has happen while somebody looks.
    @inline(__always)
    func isIdle(meanwhile: () -> Void) -> Bool {
        let number = arming.load(ordering: .acquiring)
        meanwhile()
        guard number != 0, unsafe clinux_ring_is_still(ring),
            // Read after the ring, whose loads are acquiring.
            arming.load(ordering: .relaxed) == number
        else { return false }
        #if DEBUG
            answers.wrappingAdd(1, ordering: .relaxed)
        #endif
        return true
    }

    /// Whether nothing has come: as far as this can tell, and by asking `check`, which looks at the same socket, where it
    /// cannot.
    package func isIdle(else check: borrowing IdleCheck) -> Bool {
        if isIdle { return true }
        guard check.isIdle else { return false }
        if credit.load(ordering: .relaxed) > 0 { wasMissed() }
        return true
    }

    /// Says that nothing had come although this could not tell. Who says it for the last time that it takes has the host
    /// arm this.
    @inline(never)
    func wasMissed() {
        // Nothing is left where there is no host, where it was asked already, and where io_uring is not allowed.
        guard credit.load(ordering: .relaxed) > 0, credit.wrappingSubtract(1, ordering: .relaxed).newValue == 0,
            let host = hosts.withLock({ $0.first })
        else { return }
        host.enqueue { self.arm(on: host) }
    }

    /// How often this was armed.
    package var armingCount: Int { Int(armings.load(ordering: .relaxed)) }

    /// Has a loop's thread be the host, as soon as no other is. It must `leave` before it ends.
    package func join(_ loop: EventLoop) {
        let isFirst = hosts.withLock { hosts in
            hosts.append(loop)
            return hosts.count == 1
        }
        if isFirst { waitForMisses() }
    }

    private func waitForMisses() {
        credit.store(patience.load(ordering: .relaxed), ordering: .relaxed)
    }

    // MARK: On the host's thread

    /// Ends what `join` began, on the loop's thread. Another loop that has joined becomes the host.
    package func leave(_ loop: EventLoop) {
        precondition(loop.isCurrent, "left from a foreign thread")
        if isHost(loop) {
            disarm()
            close()
        }
        let hasNext = hosts.withLock { hosts in
            hosts.removeAll { $0 === loop }
            return !hosts.isEmpty
        }
        if hasNext { waitForMisses() }
    }

    private func isHost(_ loop: EventLoop) -> Bool { hosts.withLock { $0.first === loop } }

    /// Arms this, where the socket is empty. Otherwise, as beside a storm, it waits to be missed as often again.
    package func arm(on loop: EventLoop) {
        precondition(loop.isCurrent, "armed from a foreign thread")
        // One that was asked may have left meanwhile.
        guard isHost(loop) else { return }
        disarm()
        do throws(Errno) {
            try open()
            if try workOff(), IdleCheck.isIdleByPoll(socket) {
                let number = armings.wrappingAdd(1, ordering: .relaxed).newValue
                arming.store(number, ordering: .releasing)
            }
            waitForMisses()
        } catch {
            // Nobody asks this host again.
            close()
        }
    }

    private func disarm() {
        arming.store(0, ordering: .relaxed)
        // Before anything the kernel does to the ring for us from here on.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func open() throws(Errno) {
        guard !isOpen else { return }
        _ = try valueOrErrno(.ringOpen) { unsafe clinux_ring_open(ring, socket) }
        isOpen = true
    }

    /// Whether the ring is still, with its poll under way. If not, be it because something came just now, or because so
    /// much came that the kernel has given the poll up, a new ring is made next time.
    private func workOff() throws(Errno) -> Bool {
        if try valueOrErrno(.ringEnter, { unsafe clinux_ring_work_off(ring) }) == 1 { return true }
        close()
        return false
    }

    private func close() {
        unsafe clinux_ring_close(ring)
        isOpen = false
    }
}
