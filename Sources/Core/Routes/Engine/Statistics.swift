// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Counts the work of the engine of a network namespace since the first engine was started. None of these counters means an
/// error: announcements may be lost or fail to be read, and the answers are right all the same.
public struct ReachabilityStatistics: Hashable, Sendable {
    /// The announcements of changes that were read from the kernel.
    public var events = 0
    /// How often the kernel dropped announcements because the queue was full. Every target is then looked up again.
    public var overruns = 0
    /// The messages from a sender other than the kernel, which were ignored.
    public var foreignMessages = 0
    /// How often the engine's thread looked up watched targets, one or many at a time.
    public var evaluationPasses = 0
    /// The number of targets that were looked up in all these passes.
    public var evaluations = 0
    /// The callbacks that were put on their queues.
    public var deliveries = 0
    /// How often all links and addresses were listed. Only path monitors need that, after a link or an address has changed.
    public var interfaceListings = 0
    /// How often everything was looked up again because the kernel does not announce its changes here, or because
    /// ``ReachabilityRef/recheck()`` was called.
    public var rechecks = 0
    /// How the kernel is asked; nil before the first request.
    public var lookupMethod: LookupMethod?
    /// The reads and lookups that failed. Each is repeated a little later, or with the next evaluation if the kernel refused to
    /// answer.
    public var failures = 0
}

extension NamespaceContext {
    package var statistics: ReachabilityStatistics {
        var statistics = sharedEngine.counters.snapshot
        statistics.lookupMethod = lookupMethod
        return statistics
    }
}

/// The counters of an engine, for use on any thread.
package final class EngineCounters: Sendable {
    private let counts = Lock(ReachabilityStatistics())

    var snapshot: ReachabilityStatistics { counts.withLock { $0 } }

    func count(_ change: (inout ReachabilityStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}
