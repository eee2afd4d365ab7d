// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Netlink

/// The open sockets through which this process asks one namespace's kernel.
package final class KernelAccess: Sendable {
    package let sentinel: Sentinel
    package let conversations: ConversationPool
    package let links: LinkCache
    /// The process, by its place in a row of forks, that may use these sockets.
    package let epoch: UInt64

    /// Opens the sockets in the namespace of the calling thread.
    ///
    /// - Parameter reopen: opens a further conversation in the same namespace, whatever thread it is called on.
    package init(
        deviceTypes: DeviceTypes, reopen: @escaping @Sendable () throws(NetlinkError) -> Conversation
    ) throws(NetlinkError) {
        ForkEpoch.observe()
        epoch = ForkEpoch.current
        do throws(Errno) {
            sentinel = try Sentinel()
        } catch {
            throw .system(.open, error)
        }
        conversations = ConversationPool(first: try Conversation(), open: reopen)
        links = LinkCache(deviceTypes: deviceTypes)
    }

    package var isUsable: Bool { epoch == ForkEpoch.current }

    /// The flags in a cell, where they are proved to be the kernel's present answer. This is the whole cost of asking
    /// again while nothing has changed.
    package func provenFlags(in cell: borrowing VerdictCell, tag: UInt64 = 0) -> ReachabilityFlags? {
        guard isUsable, let entry = cell.load(), entry.generation == sentinel.generation, entry.tag == tag,
            // Only now is the generation a proof; it may have been raised by who emptied the queues just before.
            sentinel.isQuiet, entry.generation == sentinel.generation,
            entry.deadline == VerdictCell.Entry.never || SystemTime().now().nanoseconds < entry.deadline
        else { return nil }
        return entry.flags
    }
}

/// A verdict, and for how long it can be used.
package struct TimedVerdict: Sendable {
    package var verdict: Verdict
    /// In how many kernel clock ticks the route ends of itself; nil for never.
    package var expiresInTicks: UInt32?
    /// Whether the kernel's "never" could mean "in less than one tick": it rounds down.
    package var expiryIsUncertain = false
}

extension KernelAccess {
    /// The present verdict on a target.
    ///
    /// - Parameter links: the generation of links under which their facts may be kept.
    package func verdict(
        on target: Target, keys: RoutingKeys, links generation: UInt64?
    ) throws(NetlinkError) -> TimedVerdict {
        try conversations.withConversation { (conversation) throws(NetlinkError) in
            let lookup = TargetLookup(conversation: conversation, links: links, generation: generation, keys: keys)
            return try lookup.verdict(on: target)
        }
    }
}
