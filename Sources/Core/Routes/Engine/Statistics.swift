// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Counts what the engine of a network namespace has done since the first one was started. None of these is an error:
/// announcements may be lost or fail to be read, and the answers are right all the same.
public struct ReachabilityStatistics: Hashable, Sendable {
    /// Announcements of changes that were read from the kernel.
    public var events = 0
    /// How often the kernel dropped announcements because the queue was full. Every target is looked up again then.
    public var overruns = 0
    /// Messages that came from a sender other than the kernel. They were ignored.
    public var foreignMessages = 0
    /// How often the engine's thread looked up watched targets, whether one or many at a time.
    public var evaluationPasses = 0
    /// How many targets were looked up in all these passes together.
    public var evaluations = 0
    /// Callbacks that were put on their queues.
    public var deliveries = 0
    /// How often all links and addresses were listed. Only path monitors need that, after one of them has changed.
    public var interfaceListings = 0
    /// How often everything was looked up again because the kernel does not announce its changes here, or because
    /// ``ReachabilityRef/recheck()`` was called.
    public var rechecks = 0
    /// How the kernel is asked; nil before the first question.
    public var lookupMethod: LookupMethod?
    /// Reads and lookups that failed. Each is made again a little later; a question that the kernel refuses to answer, with the
    /// next look.
    public var failures = 0
}

extension NamespaceContext {
    package var statistics: ReachabilityStatistics {
        var statistics = sharedEngine.counters.snapshot
        statistics.lookupMethod = lookupMethod
        return statistics
    }
}

/// The counters of an engine, for any thread.
package final class EngineCounters: Sendable {
    private let counts = Lock(ReachabilityStatistics())

    var snapshot: ReachabilityStatistics { counts.withLock { $0 } }

    func count(_ change: (inout ReachabilityStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}
