// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Why the kernel could not be asked, or its answer not be understood. "There is no route" is not among these.
package enum NetlinkError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(Operation, Errno)
    /// The kernel answered the request with an error that says nothing about reachability.
    case refused(Errno)
    /// Answers were lost, and lost again when asked anew.
    case answersLost
    /// A datagram that does not parse.
    case malformed(WireError)

    package enum Operation: String, Hashable, Sendable {
        case open = "open a netlink socket"
        /// To see what a new socket has.
        case openProbe = "look at a new UDP socket"
        case send = "send a netlink request"
        case receive = "receive a netlink answer"
    }
}

/// What a conversation met that was not its answer. For statistics and tests; never a reason for a wrong answer.
package struct RequesterCounters: Hashable, Sendable {
    /// Messages with another sequence number or port than was asked with.
    package var strays = 0
    /// Datagrams that were larger than the buffer.
    package var truncations = 0
    /// Answers the kernel dropped because the queue was full.
    package var overruns = 0
    /// Dumps that changed while they were read.
    package var interruptedDumps = 0

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.strays += right.strays
        left.truncations += right.truncations
        left.overruns += right.overruns
        left.interruptedDumps += right.interruptedDumps
    }
}
