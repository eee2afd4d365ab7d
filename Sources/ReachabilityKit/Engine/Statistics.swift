// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Synchronization

/// What the engine of a network namespace has done so far. Nothing here is an error: events are lost, and the answers
/// are right all the same.
public struct ReachabilityStatistics: Hashable, Sendable {
    /// Announcements of the kernel that were read.
    public var events = 0
    /// How often the kernel had to drop announcements; everything was looked at again then.
    public var overruns = 0
    /// Announcements from a sender other than the kernel, which were ignored.
    public var foreignSenders = 0
    /// How often the engine's thread had to look at targets again.
    public var looks = 0
    /// How many targets were looked at in all.
    public var evaluations = 0
    /// Callbacks that were put on their queues.
    public var deliveries = 0
    /// How often all links and addresses were asked for, to know the ways out.
    public var inventories = 0
    /// Looks that failed and were made again.
    public var failures = 0
    /// How often it was seen to that kept answers are known to be true without a system call, by io_uring: after changes
    /// and only where much is asked. Stays 0 where the kernel does not allow that; then a system call tells.
    public var armings = 0
}

extension NamespaceContext {
    var statistics: ReachabilityStatistics {
        var statistics = isThisProcess ? sharedEngine.counters.snapshot : ReachabilityStatistics()
        statistics.armings = armingCount
        return statistics
    }
}

/// Counts from any thread.
final class EngineCounters: Sendable {
    private let counts = Mutex(ReachabilityStatistics())

    var snapshot: ReachabilityStatistics { counts.withLock { $0 } }

    func count(_ change: (inout ReachabilityStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}
