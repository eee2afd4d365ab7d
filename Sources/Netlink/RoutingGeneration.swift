// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

/// Knows, at the price of one system call, whether anything that decides routing has changed.
///
/// The kernel queues the announcement of a change before the call that made the change returns. A socket that is
/// subscribed to all of them and has nothing queued therefore proves that no change is missing from what was learned
/// since it was last emptied. It has the smallest receive queue there is: one message always fits, which is all that is
/// needed to notice, and emptying it after a storm takes microseconds.
///
/// - *Emptying*: by one thread at a time, with the generation odd from before the first receive until after the last.
/// - *Storing an answer*: read the generation, even, ask the kernel, store with that generation.
/// - *Using it*: see the socket quiet, then compare its generation with the current one.
///
/// It is not enough to raise the generation before each receive: an answer may be stored under the raised one while the
/// receive is still to come, which then takes the announcement of a later change and leaves the queue quiet. No answer
/// is stored under an odd generation, so what a receive takes always belongs to one that no answer has.
package final class RoutingGeneration: Sendable {
    /// Quiet where nothing has been announced since the queue was last emptied.
    package let idleCheck: IdleCheck
    /// The same without a system call, while a thread of ours is there to keep it armed.
    package let ringIdleCheck: RingIdleCheck
    private let socket: NetlinkSocket
    private let counter: Atomic<UInt64>
    private let drains = Atomic<Int>(0)
    /// Numbers of different sentinels never meet: an answer stored under one is not taken for another's, also not in
    /// the child of a fork, which goes on counting where its parent was.
    private static let origins = Atomic<UInt64>(1)

    /// Opens the socket in the namespace of the calling thread.
    package init() throws(Errno) {
        let socket = try NetlinkSocket()
        // The kernel raises this to its minimum.
        try socket.setReceiveBuffer(bytes: 1)
        for group in NotificationGroup.allCases {
            do throws(Errno) {
                try socket.join(group: group.number)
            } catch {
                if !group.isOptional { throw error }
            }
        }
        idleCheck = IdleCheck(socket.rawDescriptor)
        ringIdleCheck = RingIdleCheck(socket.rawDescriptor)
        self.socket = socket
        counter = Atomic(Self.origins.wrappingAdd(1, ordering: .relaxed).oldValue << 40)
    }

    /// The number of the present state of routing; odd while the queue is being emptied. Meaningful only after
    /// `idleCheck` has found the socket empty.
    package var current: UInt64 { counter.load(ordering: .acquiring) }

    /// How often the queue had to be emptied.
    package var drainCount: Int { drains.load(ordering: .relaxed) }

    /// Empties the queue, where anything is in it. Returns the generation of what is asked for from now on, or nil where
    /// changes come so fast that none can be proved; an answer is fresh all the same, it just must not be kept.
    package func refresh() -> UInt64? {
        for _ in 0..<4 {
            let generation = current
            guard generation & 1 == 0 else { continue }
            if !idleCheck.isIdle {
                if let settled = empty(after: generation) { return settled }
            } else if current == generation {
                // Read again, for somebody may have emptied the queue between the reading and the look at it.
                return generation
            }
        }
        return nil
    }

    /// Has every answer asked for anew, for a change that the kernel does not announce. An emptying that is under way
    /// does that as well.
    package func advance() {
        let generation = current
        guard generation & 1 == 0 else { return }
        _ = counter.compareExchange(
            expected: generation, desired: generation + 2, ordering: .sequentiallyConsistent)
    }

    /// Empties the queue, unless somebody else has begun to.
    ///
    /// There is no need to look again afterwards: what comes meanwhile belongs to a change that was made after the
    /// question had begun, and stands in the way of using what is stored now, not of storing it.
    private func empty(after generation: UInt64) -> UInt64? {
        guard
            counter.compareExchange(
                expected: generation, desired: generation | 1, ordering: .sequentiallyConsistent
            ).exchanged
        else { return nil }
        drains.wrappingAdd(1, ordering: .relaxed)
        emptySocket()
        counter.store(generation + 2, ordering: .sequentiallyConsistent)
        return generation + 2
    }

    /// What is queued does not matter, only that it was: an overrun counts like a message, and since a full queue has
    /// the kernel drop further announcements without a word until it is found empty, it is read to the end.
    private func emptySocket() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { scrap in
            while true {
                do throws(Errno) {
                    _ = try unsafe socket.receive(into: scrap)
                } catch {
                    if error != .noBufferSpace { return }
                }
            }
        }
    }
}
