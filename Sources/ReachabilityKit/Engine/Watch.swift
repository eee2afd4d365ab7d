// SPDX-License-Identifier: Apache-2.0

import HostResolution
import NetworkFacts

/// Somebody who wants to know when a verdict changes. Called on the engine's thread; must not wait.
protocol WatchSubscriber: AnyObject, Sendable {
    /// - Parameter resolution: for a name, what it was resolved to.
    func observe(_ verdict: Verdict, _ resolution: Resolution?)
}

/// One target under one set of keys, watched for as many subscribers as there are: equal targets share the look.
/// Touched on the engine's thread only.
final class Watch {
    let target: Target
    let keys: RoutingKeys
    /// The last verdict found; nil before the first look.
    private(set) var verdict: Verdict?
    /// The moment the kernel's answer ends of itself; the far future where it does not.
    var expiry = Watch.never
    static let never = UInt64.max
    /// Most watches have one subscriber, which then costs no array.
    private var first: (any WatchSubscriber)?
    private var others: [any WatchSubscriber] = []

    init(target: Target, keys: RoutingKeys) {
        self.target = target
        self.keys = keys
    }

    var isUnused: Bool { first == nil && others.isEmpty }

    func add(_ subscriber: any WatchSubscriber) {
        if first == nil { first = subscriber } else { others.append(subscriber) }
    }

    func remove(_ subscriber: any WatchSubscriber) {
        if first === subscriber {
            first = others.popLast()
        } else if let position = others.lastIndex(where: { $0 === subscriber }) {
            others.swapAt(position, others.count - 1)
            others.removeLast()
        }
    }

    /// Takes what a look found; true where a client would see the difference.
    func update(_ verdict: Verdict) -> Bool {
        let before = self.verdict.map(Observation.init)
        self.verdict = verdict
        return before != Observation(verdict)
    }

    func tellSubscribers() {
        guard let verdict else { return }
        first?.observe(verdict, nil)
        for other in others { other.observe(verdict, nil) }
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
struct WatchOfItsKey: Hashable {
    let watch: Watch

    static func == (left: WatchOfItsKey, right: WatchOfItsKey) -> Bool {
        left.watch.target == right.watch.target && left.watch.keys == right.watch.keys
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(watch.target)
        hasher.combine(watch.keys)
    }
}
