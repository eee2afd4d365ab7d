// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import NetworkFacts

/// One name, watched for all who watch it: its addresses are watched like any others, and it is resolved again when
/// they grow old or the way to the name servers changes. Touched on the engine's thread only.
final class WatchedName {
    let host: NamedHost
    let keys: RoutingKeys
    private(set) var resolution: Resolution?
    private(set) var observation: Observation?
    /// What the subscribers were last told of: scheduled references answer by it.
    private var toldResolution: Resolution?
    private var subscribers = Subscribers.none
    /// The watches of the addresses, in the order of the addresses.
    private var watches: [WatchedTarget] = []
    /// What stands in each of them for this name.
    var links: [IPAddress: AddressObserver] = [:]
    /// What the engine has to keep for this name.
    var lookup: CancellationToken?
    var timer: EventLoop.TimerToken?
    /// How often it has failed in a row, for the time to the next attempt.
    private(set) var failures = 0

    init(host: NamedHost, keys: RoutingKeys) {
        self.host = host
        self.keys = keys
    }

    var isUnused: Bool { subscribers.isEmpty }

    func add(_ subscriber: any WatchSubscriber) { subscribers.add(subscriber) }

    func remove(_ subscriber: any WatchSubscriber) { subscribers.remove(subscriber) }

    /// Takes a new answer and the watches of its addresses.
    func take(_ resolution: Resolution, watches: [WatchedTarget]) {
        self.watches = watches
        self.resolution = resolution
        failures = resolution.addresses.isEmpty ? failures + 1 : 0
    }

    /// The old answer stays, but asking for a new one failed.
    func noteFailure() {
        failures += 1
    }

    /// The network changed: what failed is worth trying soon.
    func forgiveFailures() {
        failures = 0
    }

    /// Finds the answer from those of the addresses; true where a client would see the difference, or answers from
    /// other addresses now.
    func update() -> Bool {
        guard let resolution else { return false }
        let found = watches.compactMap(\.observation)
        // Some of the addresses are yet to be looked at; the round that does will end here again.
        guard found.count == watches.count else { return false }
        let before = observation
        observation = PathEvaluation.best(of: found.map(\.flags)).map { found[$0] } ?? Observation(flags: [])
        defer { toldResolution = resolution }
        return before != observation || toldResolution !== resolution
    }

    func tellSubscribers(_ round: inout DeliveryBatch) {
        subscribers.forEach { tell($0, &round) }
    }

    func tell(_ subscriber: any WatchSubscriber, _ round: inout DeliveryBatch) {
        if let observation { round.add(subscriber.observe(observation, resolution)) }
    }
}

/// When a watched name is resolved again.
enum ResolutionSchedule {
    /// After the first failure, and doubled with each that follows.
    static let firstRetry: Duration = .seconds(5)
    static let longestRetry: Duration = .seconds(300)
    /// A name that is not found right after the configuration changed is asked for again in short steps: a server
    /// that was just started may not know its names yet (configd-453, 250 ms steps within 2.5 s).
    static let settlingTime: Duration = .milliseconds(2_500)
    static let settlingStep: Duration = .milliseconds(250)

    /// The moment to ask again; nil where only a change of the network or the configuration can help.
    static func next(
        after resolution: Resolution, failures: Int, now: BootTime, configured: BootTime
    ) -> BootTime? {
        switch resolution.outcome {
        case .addresses:
            return resolution.expires == .distantFuture ? nil : max(resolution.expires, now.advanced(by: .seconds(1)))
        case .impossibleName, .noServerConfigured, .noServerReachable:
            return nil
        case .noSuchName, .noData, .failed, .couldNotAsk, .deadlinePassed, .cancelled:
            if now.duration(since: configured) < settlingTime { return now.advanced(by: settlingStep) }
            let doublings = min(max(0, failures - 1), 6)
            return now.advanced(by: min(firstRetry * (1 << doublings), longestRetry))
        }
    }
}
