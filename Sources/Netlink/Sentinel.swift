// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Synchronization

@_implementationOnly import CLinux

/// Knows, at the price of one system call, whether anything that decides routing has changed.
///
/// The kernel queues the announcement of a change before the call that made the change returns. A socket that is
/// subscribed to all of them and has nothing queued therefore proves that no change is missing from what was learned
/// since it was last emptied. There are two sockets, one for links and one for the rest, so that a storm of routes
/// does not throw away what is known of links. Both have the smallest receive queue there is: one message always fits,
/// which is all that is needed to notice, and emptying them after a storm takes microseconds.
///
/// - *Emptying*: by one thread at a time, with the generation odd from before the first receive until after the last.
/// - *Storing an answer*: read the generation, even, see the sockets quiet, ask the kernel, store with that generation.
/// - *Using it*: see the sockets quiet, then compare its generation with the current one.
///
/// It is not enough to raise the generation before each receive: an answer may be stored under the raised one while the
/// receive is still to come, which then takes the announcement of a later change and leaves the queue quiet. No answer
/// is stored under an odd generation, so what a receive takes always belongs to one that no answer has.
package final class Sentinel: Sendable {
    /// Quiet where nothing has been announced since the queues were last emptied.
    package let announcements: QuietCheck
    /// The same without a system call, while a thread of ours is there to keep it armed.
    package let tripwire: Tripwire
    private let linkSocket: NetlinkSocket
    private let routeSocket: NetlinkSocket
    private let counter: Atomic<UInt64>
    private let linkCounter: Atomic<UInt64>
    private let drains = Atomic<Int>(0)
    /// Numbers of different sentinels never meet: an answer stored under one is not taken for another's, also not in
    /// the child of a fork, which goes on counting where its parent was.
    private static let origins = Atomic<UInt64>(1)

    /// Opens the sockets in the namespace of the calling thread.
    package init() throws(Errno) {
        let linkSocket = try Self.subscribe { $0 == .link }
        let routeSocket = try Self.subscribe { $0 != .link }
        announcements = QuietCheck(linkSocket.rawDescriptor, routeSocket.rawDescriptor)
        tripwire = Tripwire(linkSocket.rawDescriptor, routeSocket.rawDescriptor)
        self.linkSocket = linkSocket
        self.routeSocket = routeSocket
        let origin = Self.origins.wrappingAdd(1, ordering: .relaxed).oldValue << 40
        counter = Atomic(origin)
        linkCounter = Atomic(origin)
    }

    private static func subscribe(to wanted: (NotificationGroup) -> Bool) throws(Errno) -> NetlinkSocket {
        let socket = try NetlinkSocket()
        // The kernel raises this to its minimum.
        try socket.setReceiveBuffer(bytes: 1)
        for group in NotificationGroup.allCases where wanted(group) {
            do throws(Errno) {
                try socket.join(group: group.number)
            } catch {
                if !group.isOptional { throw error }
            }
        }
        return socket
    }

    /// The number of the present state of routing; odd while the queues are being emptied. Meaningful only after
    /// `announcements` were seen quiet.
    package var generation: UInt64 { counter.load(ordering: .acquiring) }

    /// The number of the present state of links.
    package var linkGeneration: UInt64 { linkCounter.load(ordering: .acquiring) }

    /// How often the queues had to be emptied.
    package var drainCount: Int { drains.load(ordering: .relaxed) }

    /// The generations under which an answer asked for from now on may be stored, or nil where changes come so fast
    /// that none can be proved; an answer is fresh all the same, it just must not be kept.
    package func settle() -> (routes: UInt64, links: UInt64)? {
        for _ in 0..<4 {
            let routes = generation
            let links = linkGeneration
            guard routes & 1 == 0 else { continue }
            let queued = announcements.queued
            if !queued.isEmpty {
                if let settled = empty(queued, after: routes) { return settled }
            } else if generation == routes {
                // Read again, for somebody may have emptied the queues between the reading and the look at them.
                return (routes, links)
            }
        }
        return nil
    }

    /// Empties the queues that were seen not to be empty, unless somebody else has begun to.
    ///
    /// There is no need to look again afterwards: what comes meanwhile belongs to a change that was made after the
    /// question had begun, and stands in the way of using what is stored now, not of storing it.
    private func empty(_ queued: QuietCheck.Queues, after routes: UInt64) -> (routes: UInt64, links: UInt64)? {
        guard
            counter.compareExchange(expected: routes, desired: routes | 1, ordering: .sequentiallyConsistent).exchanged
        else { return nil }
        drains.wrappingAdd(1, ordering: .relaxed)
        if queued.contains(.second) { Self.empty(routeSocket) }
        if queued.contains(.first) {
            linkCounter.wrappingAdd(1, ordering: .acquiringAndReleasing)
            Self.empty(linkSocket)
        }
        let links = linkGeneration
        counter.store(routes + 2, ordering: .sequentiallyConsistent)
        return (routes + 2, links)
    }

    /// What is queued does not matter, only that it was: an overrun counts like a message, and since a full queue has
    /// the kernel drop further announcements without a word until it is found empty, it is read to the end.
    private static func empty(_ socket: borrowing NetlinkSocket) {
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
