// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink

/// One watched name with all its subscribers. Its addresses are watched like any others. It is resolved again when they
/// expire, or when a route to the name servers changes. Confined to the engine's thread.
final class WatchedName {
    let host: NamedHost
    let keys: RoutingKeys
    private(set) var resolution: Resolution?
    private(set) var observation: Observation?
    /// Whether the kernel refused to answer about an address that might be the best one.
    private var wasRefused = false
    /// The resolution that the subscribers were last notified of. Scheduled references answer by it.
    private var notifiedResolution: Resolution?
    private(set) var subscribers: [ObjectIdentifier: any ReferenceSubscriber] = [:]
    /// The watches of the addresses, in the order of the addresses.
    private(set) var watches: [WatchedTarget] = []
    /// This name's subscriber to each of those watches.
    var addressObservers: [IPAddress: AddressObserver] = [:]
    /// The lookup that is under way.
    var lookup: CancellationToken?
    var timer: LoopTimer?
    /// Tells when another lookup has found the name, which this one has not.
    var discovery: CancellationToken?
    /// How often resolving has failed in a row, but for what failed just after a change of the configuration. The time to the next
    /// attempt depends on it. Nil if the last attempt has not failed.
    private(set) var failures: Int?

    init(host: NamedHost, keys: RoutingKeys) {
        self.host = host
        self.keys = keys
    }

    func stopResolving() {
        lookup?.cancel()
        discovery?.cancel()
    }

    /// Stores a new resolution and the watches of its addresses.
    func setResolution(_ resolution: Resolution, watches: [WatchedTarget]) {
        self.watches = watches
        self.resolution = resolution
    }

    /// Counts an attempt if it has failed.
    func count(_ attempt: Resolution) {
        failures = attempt.addresses.isEmpty ? (failures ?? 0) + (attempt.isSettling ? 0 : 1) : nil
    }

    /// Makes the next attempt come soon, because the network has changed.
    func clearFailures() {
        failures = nil
    }

    /// Works out the name's answer from those of its addresses. Returns whether subscribers have to be notified: a client
    /// could see a difference, the answer is now made from other addresses, or it was refused.
    func update() -> Bool {
        guard let resolution else { return false }
        // Some addresses have not been looked up yet. This is called again when they have been.
        guard watches.allSatisfy(\.isLookedUp) else { return false }
        let found = watches.compactMap(\.observation)
        let best = PathEvaluation.best(of: found.map(\.flags)).map { found[$0] } ?? Observation(flags: [])
        // One that was refused might be better than those that are not reachable.
        wasRefused = found.count < watches.count && !best.flags.isReachable
        guard !wasRefused else {
            observation = nil
            return true
        }
        let before = observation
        observation = best
        defer { notifiedResolution = resolution }
        return before != observation || notifiedResolution !== resolution
    }

    func notifySubscribers(_ batch: inout DeliveryBatch) {
        for subscriber in subscribers.values { notify(subscriber, &batch) }
    }

    /// Whether a subscriber ever wanted to know of every look.
    private(set) var wantsEveryLook = false

    func add(_ subscriber: any ReferenceSubscriber) {
        subscribers[ObjectIdentifier(subscriber)] = subscriber
        if subscriber.wantsEveryLook { wantsEveryLook = true }
    }

    func remove(_ subscriber: any ReferenceSubscriber) {
        subscribers[ObjectIdentifier(subscriber)] = nil
    }

    func has(_ subscriber: any ReferenceSubscriber) -> Bool { subscribers[ObjectIdentifier(subscriber)] != nil }

    /// After a look that found the same answer.
    func notifyOfSameAnswer(_ batch: inout DeliveryBatch) {
        for subscriber in subscribers.values where subscriber.wantsEveryLook { notify(subscriber, &batch) }
    }

    func notify(_ subscriber: any ReferenceSubscriber, _ batch: inout DeliveryBatch) {
        if let observation { return subscriber.notify(observation, resolution, &batch) }
        if wasRefused { subscriber.noteRefusal(resolution, because: batch.causes) }
    }
}

/// When a watched name is resolved again.
enum ResolutionSchedule {
    /// The delay after the first failure. Each further failure makes it longer by a quarter. So if a name appears after some minutes,
    /// it is found at most a quarter of that time later, and a name that never appears is seldom asked for.
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
