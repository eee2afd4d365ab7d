// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// One watched name with all its subscribers. Its addresses are watched like any others. The name is resolved again when the
/// addresses expire, or when a route to the name servers changes. Confined to the engine's thread.
final class WatchedName {
    let host: NamedHost
    let keys: RoutingKeys
    /// The addresses are the members of the group, and the resolution is its origin.
    let group: WatchGroup
    /// The lookup that is under way.
    var lookup: CancellationToken?
    var timer: LoopTimer?
    /// How many attempts in a row have failed, not counting those just after a change of the configuration. The time to the next
    /// attempt depends on it. Nil if the last attempt has not failed.
    private(set) var failures: Int?

    init(host: NamedHost, keys: RoutingKeys) {
        self.host = host
        self.keys = keys
        group = WatchGroup(host.name.description)
    }

    var resolution: Resolution? { group.resolution }

    /// Counts an attempt if it has failed.
    func count(_ attempt: Resolution) {
        failures = attempt.addresses.isEmpty ? (failures ?? 0) + (attempt.isSettling ? 0 : 1) : nil
    }

    /// Makes the next attempt come soon, because the network has changed.
    func clearFailures() {
        failures = nil
    }
}

extension Watch {
    /// For a name, its resolution.
    var resolution: Resolution? { group?.origin as? Resolution }
}

/// Decides when a watched name is resolved again.
enum ResolutionSchedule {
    /// The delay after the first failure. Each further failure makes it longer by a quarter. If a name appears after some
    /// minutes, it is therefore found at most a quarter of that time later, and a name that never appears is seldom asked for.
    static let firstRetry: Duration = .seconds(5)
    static let longestRetry: Duration = .seconds(300)
    /// The delay after a failure just after a change of the configuration (`Resolution.settlingTime`).
    static let settlingStep: Duration = .milliseconds(250)

    /// The moment to resolve the name again; nil if only a change of the network or the configuration can help.
    static func next(after resolution: Resolution, failures: Int, now: BootTime) -> BootTime? {
        switch resolution.outcome {
        case .addresses:
            return resolution.expires == .distantFuture ? nil : max(resolution.expires, now.advanced(by: .seconds(1)))
        case .impossibleName, .noServerConfigured, .noServerReachable:
            return nil
        case .noSuchName, .noData, .failed, .couldNotAsk, .deadlinePassed, .cancelled:
            if resolution.isSettling { return now.advanced(by: settlingStep) }
            var delay = firstRetry
            for _ in 1..<max(1, min(failures, 20)) { delay = min(delay * 5 / 4, longestRetry) }
            return now.advanced(by: delay)
        }
    }
}
