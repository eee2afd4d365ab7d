// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Receives the answers for a watched target. Called on the engine's thread; must not wait.
package protocol WatchSubscriber: AnyObject, Sendable {
    /// Takes the first answer, and each one that a client could tell from the one before.
    ///
    /// - Parameter batch: takes callbacks that have to be put on their queues. The caller does that.
    func notify(_ observation: Observation, _ batch: inout DeliveryBatch)

    /// Whether to notify it of looks that found the same answer, too. What is not in the answer, such as the gateway, may
    /// differ then.
    var wantsEveryLook: Bool { get }

    /// Learns why nothing more will come.
    func end(because error: ReachabilityError)

    /// Learns that the kernel has refused to answer the last question, perhaps more than once until there is an answer.
    func noteRefusal(because causes: ChangeKinds)

    /// Other targets that have to be looked up together with its own.
    var companions: [WatchedTarget] { get }

    /// Why its target is watched from now on, if that is itself a change.
    var cause: ChangeKinds { get }
}

extension WatchSubscriber {
    package var wantsEveryLook: Bool { false }
    package var companions: [WatchedTarget] { [] }
    package var cause: ChangeKinds { ChangeKinds() }
    package func noteRefusal(because causes: ChangeKinds) {}
    package func end(because error: ReachabilityError) {}
}

/// One target under one set of keys. All subscribers to equal targets share it, and with it the lookups. Confined to the
/// engine's thread.
package final class WatchedTarget {
    // This order keeps the object small. There may be very many.
    let target: Target
    /// Whether a subscriber ever wanted to know of every look.
    var wantsEveryLook = false
    /// Whether it was chosen already. False outside `init(choosing:)`.
    fileprivate var isChosen = false
    /// Whether the last look surely found what follows from everything announced before it. Otherwise it has to be repeated.
    var isProved = false
    /// Whether the kernel refused to answer at the last look. It is asked again at the next.
    private(set) var wasRefused = false
    /// What the last look found, as far as a client can see it; nil before the first, and after one that was refused.
    package private(set) var observation: Observation?
    let keys: RoutingKeys
    /// When the lifetime of the route has surely ended.
    var expiry = BootTime.distantFuture
    var subscribers = Subscribers.none

    init(target: Target, keys: RoutingKeys) { (self.target, self.keys) = (target, keys) }

    /// Stores a verdict. Returns whether a client could see a difference.
    func update(_ verdict: Verdict) -> Bool {
        let before = observation
        observation = Observation(verdict)
        wasRefused = false
        return before != observation
    }

    /// The last look was refused. Returns whether the one before was not.
    func refuse() -> Bool {
        defer { (wasRefused, observation, expiry, isProved) = (true, nil, .distantFuture, false) }
        return !wasRefused
    }

    /// Whether there is nothing left to be found out.
    package var isLookedUp: Bool { observation != nil || wasRefused }

    /// A subscriber that has to be told the answer about a target.
    typealias Notice = (subscriber: any WatchSubscriber, watch: WatchedTarget)

    func notify(_ subscriber: any WatchSubscriber, _ batch: inout DeliveryBatch) {
        if let observation { return subscriber.notify(observation, &batch) }
        if wasRefused { subscriber.noteRefusal(because: batch.causes) }
    }
}

extension Target {
    /// The addresses that the kernel is asked about for this target.
    var decidingAddresses: [IPAddress] {
        switch self {
        case .address(let address): [address.unmapped.unscoped]
        case .pair(let local, let remote?) where !remote.unmapped.isUnspecified:
            [local.unmapped.unscoped, remote.unmapped.unscoped]
        case .pair(let local, let remote):
            [local.unmapped.unscoped] + (remote == nil ? [] : IPAddress.behindDefault)
        case .defaultPath: IPAddress.behindDefault
        case .defaultPathOf(let family): IPAddress.behindDefault.filter { $0.family == family }
        }
    }
}

extension [WatchedTarget] {
    /// The targets that `body` chooses, each once.
    init(choosing body: (_ choose: (WatchedTarget) -> Void) -> Void) {
        var chosen: [WatchedTarget] = []
        body { watch in
            guard !watch.isChosen else { return }
            watch.isChosen = true
            chosen.append(watch)
        }
        for watch in chosen { watch.isChosen = false }
        self = chosen
    }
}

/// The subscribers of one watch, in no order. Most watches have one, which is stored without a table. Adding and removing
/// take the same time however many there are.
package enum Subscribers {
    case none
    case one(any WatchSubscriber)
    case several([ObjectIdentifier: any WatchSubscriber])

    package var isEmpty: Bool { if case .none = self { true } else { false } }

    package mutating func add(_ subscriber: any WatchSubscriber) {
        switch self {
        case .none: self = .one(subscriber)
        case .one(let first):
            self = .several([ObjectIdentifier(first): first, ObjectIdentifier(subscriber): subscriber])
        case .several(var all):
            // The table must have one owner only, or changing it copies it.
            self = .none
            all[ObjectIdentifier(subscriber)] = subscriber
            self = .several(all)
        }
    }

    package mutating func remove(_ subscriber: any WatchSubscriber) {
        switch self {
        case .none: break
        case .one(let only): if only === subscriber { self = .none }
        case .several(var all):
            self = .none
            all[ObjectIdentifier(subscriber)] = nil
            self = all.count == 1 ? .one(all.first!.value) : .several(all)
        }
    }

    func contains(_ subscriber: any WatchSubscriber) -> Bool {
        switch self {
        case .none: false
        case .one(let only): only === subscriber
        case .several(let all): all[ObjectIdentifier(subscriber)] != nil
        }
    }

    package func forEach(_ body: (any WatchSubscriber) -> Void) {
        switch self {
        case .none: break
        case .one(let only): body(only)
        case .several(let all): for subscriber in all.values { body(subscriber) }
        }
    }
}
