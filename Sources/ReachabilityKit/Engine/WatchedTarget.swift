// SPDX-License-Identifier: Apache-2.0

import HostResolution
import NetworkFacts

/// Somebody who wants to know when an answer changes. Called on the engine's thread; must not wait.
protocol WatchSubscriber: AnyObject, Sendable {
    /// - Parameter resolution: for a name, what it was resolved to.
    /// - Returns: the registration whose client has to be told of it, where there is one: the caller sees to that.
    func observe(_ observation: Observation, _ resolution: Resolution?) -> Registration?
}

/// One target under one set of keys, watched for as many subscribers as there are: equal targets share the look.
/// Touched on the engine's thread only.
final class WatchedTarget {
    let target: Target
    let keys: RoutingKeys
    /// What the last look found, as far as a client could see it; nil before the first.
    private(set) var observation: Observation?
    /// The moment the kernel's answer ends of itself; the far future where it does not.
    var expiry = WatchedTarget.never
    static let never = UInt64.max
    private var subscribers = Subscribers.none

    init(target: Target, keys: RoutingKeys) {
        self.target = target
        self.keys = keys
    }

    var isUnused: Bool { subscribers.isEmpty }

    func add(_ subscriber: any WatchSubscriber) { subscribers.add(subscriber) }

    func remove(_ subscriber: any WatchSubscriber) { subscribers.remove(subscriber) }

    /// Takes what a look found; true where a client would see the difference.
    func update(_ verdict: Verdict) -> Bool {
        let before = observation
        observation = Observation(verdict)
        return before != observation
    }

    func tellSubscribers(_ round: inout DeliveryBatch) {
        subscribers.forEach { tell($0, &round) }
    }

    func tell(_ subscriber: any WatchSubscriber, _ round: inout DeliveryBatch) {
        if let observation { round.add(subscriber.observe(observation, nil)) }
    }

    /// The addresses whose routes decide about this target, as the kernel is asked for them.
    var decidingAddresses: [IPAddress] {
        switch target {
        case .address(let address): [address.unmapped.unscoped]
        case .pair(let local, let remote?) where !remote.unmapped.isUnspecified:
            [local.unmapped.unscoped, remote.unmapped.unscoped]
        case .pair(let local, let remote):
            [local.unmapped.unscoped] + (remote == nil ? [] : TargetLookup.behindDefault)
        case .defaultPath: TargetLookup.behindDefault
        // A name is watched by its addresses, each for itself.
        case .name: []
        }
    }
}

/// A watch as it is looked for: two of the same target under the same keys are equal.
struct WatchKey: Hashable {
    let watch: WatchedTarget

    static func == (left: WatchKey, right: WatchKey) -> Bool {
        left.watch.target == right.watch.target && left.watch.keys == right.watch.keys
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(watch.target)
        hasher.combine(watch.keys)
    }
}
