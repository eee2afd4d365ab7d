// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Why a request to the kernel failed or its answer could not be read. "There is no route" is an answer, not an error.
package enum NetlinkError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(Operation, Errno)
    /// The kernel returned an error that says nothing about reachability.
    case refused(Errno)
    /// Answers were lost, also when the request was repeated.
    case answersLost
    /// A datagram could not be parsed.
    case malformed(WireError)
    /// Without netlink, the kernel cannot be asked with these keys.
    case needsNetlink

    /// Whether the request is refused to this process for good. A security module refuses to send it (selinux_netlink_send).
    package var isRefusal: Bool {
        switch self {
        case .refused(let errno), .system(.open, let errno), .system(.send, let errno): errno.isRefusal
        default: false
        }
    }

    package enum Operation: String, Hashable, Sendable {
        case open = "open a netlink socket"
        case openProbe = "look at a new UDP socket"
        case send = "send a netlink request"
        case receive = "receive a netlink answer"
    }
}

/// What a requester received that was not its answer, or could not receive. None of it makes an answer wrong.
package struct RequesterCounters: Hashable, Sendable {
    /// Messages whose sequence number or port is not that of the request.
    package var strays = 0
    /// Announcements of changed routing rules; they are strays too.
    package var ruleAnnouncements = 0
    /// Datagrams that were larger than the buffer.
    package var truncations = 0
    /// How often the kernel dropped messages because the queue was full.
    package var overruns = 0
    /// Dumps whose subject changed while they were read.
    package var interruptedDumps = 0

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.strays += right.strays
        left.ruleAnnouncements += right.ruleAnnouncements
        left.truncations += right.truncations
        left.overruns += right.overruns
        left.interruptedDumps += right.interruptedDumps
    }
}
