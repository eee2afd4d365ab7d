// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Is notified of the answer for something that is watched. Called on the engine's thread; must not block.
package protocol Subscriber: AnyObject, Sendable {
    /// Called when there is a new answer in `watch`: the first one, and each that a client can tell from the one before,
    /// including that the kernel refuses to answer.
    ///
    /// - Parameter batch: collects callbacks that have to be put on their queues. The caller does that.
    func notify(_ watch: Watch, _ batch: inout DeliveryBatch)

    /// Whether to notify it after evaluations that found the same answer, too. Facts outside the answer, such as the gateway, may
    /// differ then.
    var wantsEveryEvaluation: Bool { get }

    /// Called with the reason why nothing more will come.
    func end(because error: ReachabilityError)

    /// This subscriber, if it is a group that the target is a part of.
    var group: WatchGroup? { get }
}

extension Subscriber {
    package var wantsEveryEvaluation: Bool { false }
    package var group: WatchGroup? { nil }
    package func end(because error: ReachabilityError) {}
}

/// Something that is watched, with its newest answer and its subscribers: a target, or a group of targets that have one answer
/// together. Confined to the engine's thread.
package class Watch {
    // This order keeps the objects of targets small. There may be very many.
    /// The last answer, as far as a client can see it; nil before the first.
    private final var found: Observation?
    /// Whether the kernel refused to answer at the last evaluation.
    package final private(set) var isRefused = false
    /// Whether any subscriber has ever asked to be notified of every evaluation.
    final private(set) var tellsEveryEvaluation = false
    /// Increases with each answer that differs from the one before, and wraps around after 255. A refusal is not an answer.
    final private(set) var version: UInt8 = 0
    /// The number of the last time slice that has asked about it, or of the last evaluation that it is part of.
    private final var mark: UInt32 = 0
    package final private(set) var subscribers = Subscribers.none

    package init() {}

    /// The answer of the last evaluation, as far as a client can see it; nil before the first evaluation, and after one that was
    /// refused.
    package final var answer: Observation? { isRefused ? nil : found }
    /// Whether there has been an evaluation.
    package var isEvaluated: Bool { found != nil || isRefused }
    /// Its name in messages.
    package var description: String { "" }
    /// The answer in messages.
    package var answerText: String { answer.map { "\($0.flags)" } ?? "refused" }
    /// This, if it is a group.
    package var group: WatchGroup? { nil }

    package func add(_ subscriber: any Subscriber) {
        subscribers.add(subscriber)
        if subscriber.wantsEveryEvaluation { tellsEveryEvaluation = true }
    }

    package func remove(_ subscriber: any Subscriber) { subscribers.remove(subscriber) }

    /// Sets the mark. Returns whether it had another mark before.
    final func mark(_ number: UInt32) -> Bool {
        defer { mark = number }
        return mark != number
    }

    /// Stores the answer of an evaluation; nil if the kernel refused to answer. Returns whether subscribers have to be notified.
    final func take(_ new: Observation?) -> Bool {
        guard let new else { return take(isOther: false, isRefused: true) }
        defer { found = new }
        return take(isOther: new != found, isRefused: false)
    }

    /// The same, for an answer that is kept elsewhere.
    final func take(isOther: Bool, isRefused: Bool) -> Bool {
        defer { self.isRefused = isRefused }
        if isOther { version &+= 1 }
        return isOther || isRefused != self.isRefused
    }

    /// Nothing is known any more.
    final func forgetAnswer() { (found, isRefused) = (nil, false) }
}

/// One target with one set of routing keys. All subscribers to equal targets share it, and with it the requests to the kernel.
package final class WatchedTarget: Watch {
    let target: Target
    /// Whether the last evaluation certainly reflects everything that was announced before it. Otherwise it has to be repeated.
    var isProved = false
    let keys: RoutingKeys
    /// A moment at which the lifetime of the route has certainly ended.
    var end = BootTime.distantFuture

    init(target: Target, keys: RoutingKeys) { (self.target, self.keys) = (target, keys) }

    package override var description: String { target.description }
}

/// Targets that have one answer together, which is the best of theirs, such as the addresses of a name. All of them have to be
/// from one moment.
package final class WatchGroup: Watch, Subscriber, @unchecked Sendable {  // confined to the engine's thread
    package override var description: String { name }
    package override var group: WatchGroup? { self }
    private let name: String
    /// The source of the targets, such as the resolution of a name; nil until it is known. Subscribers are notified of a new one,
    /// too.
    package private(set) var origin: AnyObject?
    package private(set) var members: [WatchedTarget] = []
    /// Whether the answer may have changed, because the members or one of their answers have.
    var isToJudge = false
    /// The origin of the last answer.
    private var judgedOrigin: AnyObject?

    /// - Parameter name: for messages.
    package init(_ name: String) { self.name = name }

    package func set(_ members: [WatchedTarget], from origin: AnyObject?) {
        (self.members, self.origin, isToJudge) = (members, origin, true)
        if origin == nil { forgetAnswer() }
    }

    /// A group is evaluated when the kernel has been asked about all of its members.
    package func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {}

    /// Determines the answer from those of the members. Returns whether the subscribers have to be notified.
    func judge() -> Bool {
        isToJudge = false
        guard let origin else { return false }
        let found = members.compactMap(\.answer)
        let best = PathEvaluation.best(of: found.map(\.flags)).map { found[$0] } ?? Observation(flags: [])
        // A member that was refused might be better than those that are not reachable.
        let isRefused = found.count < members.count && !best.flags.isReachable
        defer { judgedOrigin = origin }
        return take(isRefused ? nil : best) || judgedOrigin !== origin
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

/// The subscribers of one watch, in no order. Most watches have one, which is stored without a table. Adding and removing takes
/// constant time.
package enum Subscribers {
    case none
    case one(any Subscriber)
    case several([ObjectIdentifier: any Subscriber])

    package var isEmpty: Bool { if case .none = self { true } else { false } }

    package mutating func add(_ subscriber: any Subscriber) {
        switch self {
        case .none: self = .one(subscriber)
        case .one(let first) where first === subscriber: break
        case .one(let first):
            self = .several([ObjectIdentifier(first): first, ObjectIdentifier(subscriber): subscriber])
        case .several(var all):
            // The table must have only one owner here, because changing a shared one copies it.
            self = .none
            all[ObjectIdentifier(subscriber)] = subscriber
            self = .several(all)
        }
    }

    package mutating func remove(_ subscriber: any Subscriber) {
        switch self {
        case .none: break
        case .one(let only): if only === subscriber { self = .none }
        case .several(var all):
            self = .none
            all[ObjectIdentifier(subscriber)] = nil
            self = all.count == 1 ? .one(all.first!.value) : .several(all)
        }
    }

    func contains(_ subscriber: any Subscriber) -> Bool {
        switch self {
        case .none: false
        case .one(let only): only === subscriber
        case .several(let all): all[ObjectIdentifier(subscriber)] != nil
        }
    }

    package func forEach(_ body: (any Subscriber) -> Void) {
        switch self {
        case .none: break
        case .one(let only): body(only)
        case .several(let all): for subscriber in all.values { body(subscriber) }
        }
    }
}
