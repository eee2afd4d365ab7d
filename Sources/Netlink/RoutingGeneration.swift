// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Numbers the states of the kernel's routing, and tells at the cost of one system call whether a number is still current.
///
/// The kernel queues the announcement of a change before the call that made the change returns. A socket that subscribes
/// to all announcements and has nothing queued therefore proves that nothing has changed since it was last emptied. The
/// socket has the smallest receive queue possible. One message always fits, which is enough to notice a change, and
/// emptying the queue after a storm takes microseconds.
///
/// - *Emptying*: one thread at a time; the generation is odd from before the first receive until after the last.
/// - *Storing an answer*: read the generation, which must be even, ask the kernel, store the answer with that generation.
/// - *Using an answer*: see the socket idle, then compare the answer's generation with the current one.
///
/// Raising the generation before each receive would not be enough. Another thread could store an answer under the raised
/// generation before the receive, which then takes the announcement of a later change and leaves the queue idle. As no
/// answer is stored under an odd generation, a receive never takes an announcement that a stored answer has missed.
package final class RoutingGeneration: Sendable {
    /// Idle if nothing has been announced since the queue was last emptied.
    package let idleCheck: IdleCheck
    private let socket: NetlinkSocket
    private let counter: Atomic<UInt64>
    private let drains = Atomic<Int>(0)
    /// Gives each object its own range of numbers, so that an answer stored under one is never taken for another's. This
    /// includes the child of a fork, which counts on from its parent's number.
    private static let origins = Atomic<UInt64>(1)

    /// Opens the socket in the namespace of the calling thread.
    package init() throws(Errno) {
        let socket = try NetlinkSocket()
        // The kernel raises this to its minimum.
        try socket.setReceiveBuffer(bytes: 1)
        try socket.joinAllGroups()
        // Without `fast`, which io_uring provides, each use of an answer costs a system call.
        idleCheck = IdleCheck(socket.rawDescriptor, fast: RingIdleCheck(socket.rawDescriptor))
        self.socket = socket
        counter = Atomic(Self.origins.wrappingAdd(1, ordering: .relaxed).oldValue << 40)
    }

    /// The number of the present state of routing; odd while the queue is being emptied. Means something only after
    /// `idleCheck` has found the socket idle.
    package var current: UInt64 { counter.load(ordering: .acquiring) }

    /// How often the queue was emptied of something.
    package var drainCount: Int { drains.load(ordering: .relaxed) }

    /// Empties the queue, and returns the generation of answers that are asked for from now on: a new one if something was
    /// queued. Returns nil if other threads empty the queue all the time. An answer is then fresh all the same, but must not
    /// be kept.
    package func refresh() -> UInt64? {
        for _ in 0..<4 {
            let generation = current
            guard generation & 1 == 0 else { continue }
            if let next = empty(after: generation) { return next }
        }
        return nil
    }

    /// Starts a new generation, for a change that the kernel does not announce. A thread that reads the new number also reads
    /// what the caller stored before.
    package func advance() {
        counter.wrappingAdd(2, ordering: .acquiringAndReleasing)
    }

    /// Empties the queue, unless another thread has begun to.
    ///
    /// The socket is not checked again afterwards. An announcement that comes meanwhile belongs to a change made after the
    /// question began. It prevents the use of what is stored now, not the storing.
    private func empty(after generation: UInt64) -> UInt64? {
        guard
            counter.compareExchange(
                expected: generation, desired: generation | 1, ordering: .acquiring
            ).exchanged
        else { return nil }
        // A thread that finds the queue empty then reads the odd number too. No ordering of the exchange itself promises that.
        atomicMemoryFence(ordering: .releasing)
        let hadAny = emptySocket()
        if hadAny { drains.wrappingAdd(1, ordering: .relaxed) }
        // Where nothing was queued, what is kept stays proved. Added, because `advance` may have added meanwhile.
        return counter.wrappingAdd(hadAny ? 1 : ~0, ordering: .acquiringAndReleasing).newValue
    }

    /// Receives until the queue is empty, and tells whether it held anything. The messages themselves do not matter, and an
    /// overrun counts like a message. While the queue is full, the kernel silently drops announcements until it was found
    /// empty.
    private func emptySocket() -> Bool {
        var hadAny = false
        unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { scrap in
            while true {
                do throws(Errno) {
                    _ = try unsafe socket.receive(into: scrap)
                } catch {
                    if error != .noBufferSpace { return }
                }
                hadAny = true
            }
        }
        return hadAny
    }
}
