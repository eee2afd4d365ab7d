// SPDX-License-Identifier: Apache-2.0

import LinuxLibc
package import Synchronization

@_implementationOnly import CLinux

/// Proves with io_uring that nothing has come to a socket, without a system call.
///
/// A ring (`ring.c`) holds one lasting poll of the socket. When something comes, the kernel wakes the poll inside the call
/// that sent it. The ring defers the work of that wake-up until the ring's thread asks for it
/// (IORING_SETUP_DEFER_TASKRUN, Linux 6.1), and sets a flag in shared memory meanwhile (IORING_SETUP_TASKRUN_FLAG). Any
/// thread may read the flag. Only the thread that made the ring, the *owner*, can have the work done, which clears it.
///
/// *Claim*: if `isIdle` is true, everything that was sent by calls which returned before `isIdle` began had been received
/// before the last arming. *Proof*:
///
/// 1. The owner arms in this order: clear the number, let the ring do its work until it is quiet, see with poll(2) that
///    the socket is empty, publish a new number. A reader must see a number, a quiet ring, and the same number again. A
///    reader that sees the ring quiet only because the owner is at work also sees that the number is gone.
/// 2. What came before the socket was seen empty had been received by then. What the receiver did before receiving is
///    visible to the reader: through the socket, the owner and the number.
/// 3. What came later woke the poll, and the flag was set before the sending call returned. This needs a lasting poll
///    (IORING_POLL_ADD_MULTI). A poll that ends with its first event takes itself off the socket before it sets the flag;
///    a second sender in between does not wake it and may return first. With a lasting poll the second sender waits for
///    the first under the lock of the socket's wait queue (io_poll_wake in io_uring/poll.c).
/// 4. The flag stays set between arming and disarming, because only a system call of the owner clears it.
///
/// The ring lies in memory of this process (IORING_SETUP_NO_MMAP, Linux 6.5), at an address that stays the same as long as
/// this object lives, with or without a ring. A late reader reads something meaningless there, and then finds the number
/// gone.
@safe package final class RingIdleCheck: FastIdleCheck, @unchecked Sendable {  // only the owner uses what is not atomic
    private let ring: OpaquePointer
    private let socket: Int32
    /// The number of the present arming; 0 for none. No two armings have the same number.
    private let arming = Atomic<UInt64>(0)
    private let armings = Atomic<UInt64>(0)
    private var isOpen = false

    /// The loops that have joined. The thread of the first one is the owner.
    private let loops = Mutex<[EventLoop]>([])
    private let missesLeft = Atomic<Int>(0)
    /// After how many misses the owner is asked to arm. Waking a thread takes about as long as this many questions to epoll,
    /// so arming costs at most what the misses have cost.
    package let missThreshold = Atomic<Int>(100)

    #if DEBUG
        private let proofs = Atomic<Int>(0)
        /// How often `isIdle` was true.
        package var proofCount: Int { proofs.load(ordering: .relaxed) }
    #endif

    /// Makes no system call.
    ///
    /// - Parameter socket: must stay open as long as this object lives.
    package init(_ socket: Int32) {
        // If there is no memory for this, Swift itself cannot go on either.
        unsafe ring = clinux_ring_new()!
        self.socket = socket
    }

    deinit {
        precondition(!isOpen, "a loop has not left")
        unsafe clinux_ring_free(ring)
    }

    // MARK: From any thread

    package override var isIdle: Bool { isIdle(meanwhile: {}) }

    /// - Parameter meanwhile: runs between the two reads of the number, for tests.
    @inline(__always)
    func isIdle(meanwhile: () -> Void) -> Bool {
        let number = arming.load(ordering: .acquiring)
        meanwhile()
        guard number != 0, unsafe clinux_ring_is_quiet(ring),
            // Read after the ring, whose loads are acquiring.
            arming.load(ordering: .relaxed) == number
        else { return false }
        #if DEBUG
            proofs.wrappingAdd(1, ordering: .relaxed)
        #endif
        return true
    }

    /// The miss that reaches the threshold makes the owner arm.
    override func recordMiss() {
        // Nothing is left if there is no owner, if it was asked already, or if io_uring is not allowed.
        guard missesLeft.load(ordering: .relaxed) > 0,
            missesLeft.wrappingSubtract(1, ordering: .relaxed).newValue == 0,
            let loop = loops.withLock({ $0.first })
        else { return }
        loop.enqueue { self.arm(on: loop) }
    }

    package override var armingCount: Int { Int(armings.load(ordering: .relaxed)) }

    /// Makes the loop's thread the owner, as soon as no other is. A loop without a thread cannot be it.
    package override func join(_ loop: EventLoop) {
        guard loop.hasThread else { return }
        let isFirst = loops.withLock { loops in
            loops.append(loop)
            return loops.count == 1
        }
        if isFirst { resetMisses() }
    }

    private func resetMisses() {
        missesLeft.store(missThreshold.load(ordering: .relaxed), ordering: .relaxed)
    }

    // MARK: On the owner's thread

    /// The next loop that has joined becomes the owner.
    package override func leave(_ loop: EventLoop) {
        precondition(loop.isCurrent, "left from a foreign thread")
        if isOwner(loop) {
            disarm()
            close()
        }
        let hasNext = loops.withLock { loops in
            loops.removeAll { $0 === loop }
            return !loops.isEmpty
        }
        if hasNext { resetMisses() }
    }

    private func isOwner(_ loop: EventLoop) -> Bool { loops.withLock { $0.first === loop } }

    /// Arms if the socket is empty. Otherwise, as during a storm of changes, waits for as many misses again.
    package func arm(on loop: EventLoop) {
        precondition(loop.isCurrent, "armed from a foreign thread")
        // The loop may have left since it was asked.
        guard isOwner(loop) else { return }
        disarm()
        do throws(Errno) {
            try open()
            if try processPendingWork(), IdleCheck.isIdleByPoll(socket) {
                let number = armings.wrappingAdd(1, ordering: .relaxed).newValue
                arming.store(number, ordering: .releasing)
            }
            resetMisses()
        } catch {
            // This owner is not asked again.
            close()
        }
    }

    private func disarm() {
        arming.store(0, ordering: .relaxed)
        // Comes before anything that the kernel does to the ring from here on.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func open() throws(Errno) {
        guard !isOpen else { return }
        _ = try valueOrErrno(.ringOpen) { unsafe clinux_ring_open(ring, socket) }
        isOpen = true
    }

    /// Returns whether the ring is quiet and its poll goes on. If not, because something has just come or because so much
    /// came that the kernel ended the poll, the next arming makes a new ring.
    private func processPendingWork() throws(Errno) -> Bool {
        if try valueOrErrno(.ringEnter, { unsafe clinux_ring_process(ring) }) == 1 { return true }
        close()
        return false
    }

    private func close() {
        unsafe clinux_ring_close(ring)
        isOpen = false
    }
}
